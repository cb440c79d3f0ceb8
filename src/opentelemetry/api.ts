/** Attributes of a span or a measurement. */
export type Attributes = Readonly<Record<string, string | number>>;

/** State of the tracing systems that a request went through. */
export interface TraceState {
  /** Returns a copy with an additional entry. */
  set(key: string, value: string): TraceState;
  /** Returns a copy without an entry. */
  unset(key: string): TraceState;
  /** Returns the value of an entry. */
  get(key: string): string | undefined;
  /** Returns the value of the header field `tracestate`. */
  serialize(): string;
}

/** Identity of a span. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bits. The lowest one says whether the trace is sampled. */
  readonly traceFlags: number;
  /** Whether the span belongs to another process. */
  readonly isRemote?: boolean;
  /** State of the tracing systems on the way. */
  readonly traceState?: TraceState;
}

/** The part of a `Span` that is used. */
export interface Span {
  /** Returns the identity of the span. */
  spanContext(): SpanContext;
  /** Adds attributes. */
  setAttributes(attributes: Attributes): unknown;
  /** Sets the status. */
  setStatus(status: { readonly code: number }): unknown;
  /** Adds an event that describes an error. */
  recordException(error: Error | string): void;
  /** Ends the span. */
  end(): void;
}

/** The part of `SpanOptions` that is used. */
export interface SpanOptions {
  /** Role of the span. */
  readonly kind: number;
  /** Attributes from the start on. */
  readonly attributes: Attributes;
  /** Spans of other traces that this one belongs to. */
  readonly links?: { readonly context: SpanContext }[];
}

/** The part of a `Tracer` that is used. */
export interface Tracer {
  /** Starts a span as a child of the span in the context. */
  startSpan(name: string, options: SpanOptions, context: unknown): Span;
}

/** The part of a `TracerProvider` that is used. */
export interface TracerProvider {
  /** Returns a tracer. */
  getTracer(name: string, version: string | undefined, options: { readonly schemaUrl: string }): Tracer;
}

/** Any instrument that other methods of {@link Meter} take. */
export interface Instrument {
  /** Adds a measurement to a counter. */
  add(value: number, attributes: Attributes): void;
  /** Adds a measurement to a histogram. */
  record(value: number, attributes: Attributes): void;
}

/** Receives the measurements of observable instruments. */
export interface BatchResult {
  /** Adds a measurement. */
  observe(instrument: unknown, value: number, attributes?: Attributes): void;
}

/** Description of an instrument. */
export interface InstrumentOptions {
  /** Meaning of the measurements. */
  readonly description: string;
  /** Unit in the notation of UCUM. */
  readonly unit: string;
  /** Hints for the SDK. */
  readonly advice?: { explicitBucketBoundaries?: number[] };
}

/** The part of a `Meter` that is used. */
export interface Meter {
  /** Creates a counter. */
  createCounter(name: string, options: InstrumentOptions): Pick<Instrument, "add">;
  /** Creates a histogram. */
  createHistogram(name: string, options: InstrumentOptions): Pick<Instrument, "record">;
  /** Creates a gauge that a callback measures. */
  createObservableGauge(name: string, options: InstrumentOptions): unknown;
  /** Calls a function at each collection. */
  addBatchObservableCallback(
    callback: (result: BatchResult) => void | Promise<void>,
    instruments: unknown[],
  ): void;
  /** Ends the calls. */
  removeBatchObservableCallback(
    callback: (result: BatchResult) => void | Promise<void>,
    instruments: unknown[],
  ): void;
}

/** The part of the module `@opentelemetry/api`, version 1.9 or later, that is used. Pass the module itself. */
export interface OpenTelemetryApi {
  /** Creates spans, and keeps them in contexts. */
  readonly trace: {
    /** Returns the source of tracers. Unlike `getTracer` of the module, it takes the options of a tracer. */
    getTracerProvider(): TracerProvider;
    /** Returns a context that holds a span. */
    setSpan(context: unknown, span: Span): unknown;
    /** Returns a context that holds a span of another process. */
    setSpanContext(context: unknown, spanContext: SpanContext): unknown;
    /** Returns the identity of the span in a context. */
    getSpanContext(context: unknown): SpanContext | undefined;
    /** Returns whether an identity is valid. */
    isSpanContextValid(spanContext: SpanContext): boolean;
  };
  /** Finds and sets the active context. */
  readonly context: {
    /** Returns the active context. */
    active(): unknown;
    /** Calls a function in a context. */
    with<T>(context: unknown, work: () => T): T;
  };
  /** Creates instruments. */
  readonly metrics: {
    /** Returns a meter. */
    getMeter(name: string, version: string | undefined, options: { readonly schemaUrl: string }): Meter;
  };
  /** Roles of spans. */
  readonly SpanKind: { readonly CLIENT: number; readonly PRODUCER: number; readonly CONSUMER: number };
  /** States of spans. */
  readonly SpanStatusCode: { readonly ERROR: number };
  /** The empty context. */
  readonly ROOT_CONTEXT: unknown;
  /** Parses the value of the header field `tracestate`. */
  createTraceState(text?: string): TraceState;
}
