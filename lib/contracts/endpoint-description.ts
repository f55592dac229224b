/** What an endpoint takes and answers, in words, for the description of an API. */
export interface EndpointDescription {
  /** In a few words, with the section of its RFC. */
  readonly summary: string;
  /** Parameters without which a request is refused. */
  readonly required?: readonly string[];
  /** Whom it serves, where the endpoint itself does not say it. RFC 6749 §2.1 */
  readonly clients?: 'all' | 'confidential';
  /** The id of an endpoint whose parameters it takes as well. */
  readonly sameParametersAs?: string;
  /** The members of its JSON answer; left out: a page, or a redirect. */
  readonly response?: Readonly<Record<string, ResponseMember>>;
}

/** A member of an answer, as JSON Schema has it. */
export interface ResponseMember {
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'array';
  readonly items?: { readonly type: 'string' };
}

/** What is said of parameters, by the id of the endpoint that takes them and their names. */
export type ParameterDescriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;
