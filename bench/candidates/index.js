/** The candidates. Each is loaded only in the process that measures it. */
export const candidates = {
  'oauth2-server': () => import('./oauth2-server.js'),
  'node-oauth': () => import('./node-oauth.js'),
  jmondi: () => import('./jmondi.js'),
  'nest-oauth2': () => import('./nest-oauth2.js'),
  'nest-oauth2-call-options': () => import('./nest-oauth2-call-options.js'),
  floor: () => import('./floor/index.js'),
};
