/** The description of an endpoint for an API description such as OpenAPI. */
export interface EndpointDescription {
  /** A summary in a few words, with the section of the specification. */
  readonly summary: string;
  /** The names of the required parameters. */
  readonly required?: readonly string[];
  /**
   * Which clients may call the endpoint, for endpoints that do not set their own `clients`: all, or confidential
   * clients only. RFC 6749 §2.1
   */
  readonly clients?: 'all' | 'confidential';
  /** The ID of another endpoint whose parameters this endpoint also accepts. */
  readonly sameParametersAs?: string;
  /** The members of the JSON response, by name. If omitted, the response is a page or a redirect. */
  readonly response?: Readonly<Record<string, ResponseMember>>;
}

/** A member of a JSON response, described as in JSON Schema. */
export interface ResponseMember {
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'array';
  readonly items?: { readonly type: 'string' };
}

/** Descriptions of request parameters, by endpoint ID and parameter name. */
export type ParameterDescriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;
