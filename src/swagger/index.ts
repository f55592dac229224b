export { addOAuth2, type OAuth2DocumentOptions } from './add-oauth2.js';
export type { Flow, ServerUrls } from './scheme.js';
