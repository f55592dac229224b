import type { Look } from 'nest-oauth2/pages';

/** The look of all pages: the pages of the library and those of this sample. */
export const look: Look = { site: 'Notes' };
