/** Returns a handler of rejections that notes the error and throws it again. */
export function noting(caught: unknown[]) {
  return (error: unknown): never => {
    caught.push(error);
    throw error;
  };
}
