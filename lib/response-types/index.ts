import { CodeResponseType } from './code.js';
import type { ResponseTypeClass } from './response-type.js';
import { TokenResponseType } from './token.js';

/** What the authorization endpoint answers, by `response_type` value. */
export const RESPONSE_TYPES: Readonly<Record<string, ResponseTypeClass>> = {
  code: CodeResponseType,
  token: TokenResponseType,
};
