import type { Feature } from '../../contracts/feature.js';
import { writePostPage } from './post-page.js';

/**
 * Adds `response_mode=form_post`: the browser posts the authorization response to the redirect URI, so that codes and
 * tokens appear in no URL, history or log. OAuth 2.0 Form Post Response Mode
 */
export const formPost = (): Feature => ({
  id: 'formPost',
  specification: 'Form Post Response Mode',
  install: () => ({ responseModes: { form_post: { write: writePostPage } } }),
});
