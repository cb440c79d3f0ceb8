/** One violation of the contract: where it is and what is wrong. */
export interface Violation {
  /**
   * Place of the violation as a JSON Pointer in URI fragment form (RFC 6901 §6), such as `#/quantity`. The whole body
   * is `#`.
   */
  readonly pointer: string;
  /** Description for people, in English. */
  readonly detail: string;
}
