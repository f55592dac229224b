/** Response types whose answer is more than a code, or none. OAuth 2.0 Multiple Response Types §3, §5 */
export type FrontChannelType = 'code id_token' | 'code id_token token' | 'code token' | 'id_token' | 'id_token token';

/** All of them. */
export const FRONT_CHANNEL_TYPES: readonly FrontChannelType[] = [
  'code id_token',
  'code id_token token',
  'code token',
  'id_token',
  'id_token token',
];
