/** A response type that returns tokens through the browser. OAuth 2.0 Multiple Response Types §3, §5 */
export type FrontChannelType = 'code id_token' | 'code id_token token' | 'code token' | 'id_token' | 'id_token token';

/** All response types that return tokens through the browser. */
export const FRONT_CHANNEL_TYPES: readonly FrontChannelType[] = [
  'code id_token',
  'code id_token token',
  'code token',
  'id_token',
  'id_token token',
];
