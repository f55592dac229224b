export type { IntrospectionResponseReader } from './response-reader.js';
export { IntrospectedTokens } from './introspected-tokens.js';
export type { IntrospectedTokensOptions, IntrospectionCache, IntrospectionCredentials } from './settings.js';
