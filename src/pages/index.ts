export type { Attempt, Throttle } from './attempts.js';
export type * from './contexts.js';
export { Html, html } from './html.js';
export { ENGLISH, type Language, type Messages, type Scopes } from './messages.js';
export { defaultPages, type Look, PageRenderer } from './page-renderer.js';
export type { Preferences } from './language.js';
export { pages, type Pages } from './pages.js';
export type { PagesOptions } from './pages-options.js';
export type { Sessions } from './sessions.js';
