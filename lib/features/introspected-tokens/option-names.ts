/** What `new IntrospectedTokens()` takes, by name. */
export const OPTIONS = {
  issuer: true,
  introspectionEndpoint: true,
  credentials: true,
  audience: true,
  cache: true,
  timeout: true,
  concurrency: true,
  fetch: true,
  answers: true,
} as const;

/** What its `cache` takes. */
export const CACHE = { lifetime: true, negativeLifetime: true, size: true } as const;

/** What its `credentials` take. */
export const CREDENTIALS = { id: true, secret: true, method: true } as const;
