/** Body of an event of every format. */
export interface LambdaBody {
  /** Text of the body, or its bytes in Base64. */
  readonly body?: string | null | undefined;
  /** Whether the body is in Base64. */
  readonly isBase64Encoded: boolean;
}

/** The parts of an event in payload format 2.0 that the adapter reads: function URLs, and HTTP APIs of API Gateway. */
export interface LambdaEventV2 extends LambdaBody {
  /** Path of the request. Function URLs pass it as sent, and HTTP APIs percent-decoded. */
  readonly rawPath: string;
  /** Query as sent, without the question mark. */
  readonly rawQueryString: string;
  /** Lines of the `Cookie` header field. HTTP APIs pass them only here. */
  readonly cookies?: readonly string[] | null | undefined;
  /** Header fields. Repeated lines are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Method, and the domain, which tells function URLs and HTTP APIs apart. */
  readonly requestContext: {
    readonly domainName?: string | undefined;
    readonly http: { readonly method: string };
  };
}

/**
 * The parts of an event in payload format 1.0 that the adapter reads: REST APIs and HTTP APIs of API Gateway, and
 * Application Load Balancers.
 */
export interface LambdaEventV1 extends LambdaBody {
  /** Only HTTP APIs set it. They pass the path percent-decoded. */
  readonly version?: string | undefined;
  /** Method as sent. */
  readonly httpMethod: string;
  /** Path of the request. REST APIs remove the stage. */
  readonly path: string;
  /** Header fields. Of repeated lines, only the last one. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** Header fields with all lines. Load balancers pass them instead of `headers` if you turn them on. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  /** Query. API Gateway passes it percent-decoded. */
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** Query with all values of each name. */
  readonly multiValueQueryStringParameters?:
    | Readonly<Record<string, readonly string[] | undefined>>
    | null
    | undefined;
  /** Path of the URL of an API, with its stage; or the target group of a load balancer. */
  readonly requestContext: { readonly path?: string | undefined; readonly elb?: object | undefined };
}

/** An event that is an HTTP request. */
export type LambdaEvent = LambdaEventV1 | LambdaEventV2;
