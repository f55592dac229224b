// `npm run matrix` replaces this file with a copy of the exported one.
export { PageBrowser } from '../../../src/pages/page-browser.js';
