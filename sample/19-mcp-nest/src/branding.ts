import type { Look } from 'nest-oauth2/pages';

/** The site name, shared by the library's pages and the pages of this sample. */
export const branding: Look = { site: 'Notes' };
