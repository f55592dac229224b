import type { Feature } from '../../contracts/feature.js';
import { writePostPage } from './post-page.js';

/**
 * Answers are posted to the redirect URI by the browser, for clients with `response_mode=form_post`: codes and tokens stand in no
 * URL, no history and no log. OAuth 2.0 Form Post Response Mode
 */
export const formPost = (): Feature => ({
  id: 'formPost',
  specification: 'Form Post Response Mode',
  install: () => ({ responseModes: { form_post: { write: writePostPage } } }),
});
