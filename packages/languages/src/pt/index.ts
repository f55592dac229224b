import type { CompleteLanguage } from '../complete-language.js';
import { accounts } from './accounts.js';
import { elicitation } from './elicitation.js';
import { pages } from './pages.js';
import { upstreams } from './upstreams.js';

/** The texts of pages and e-mails in Brazilian Portuguese. */
export const pt: CompleteLanguage = { messages: pages, features: { accounts, elicitation, upstreams } };
