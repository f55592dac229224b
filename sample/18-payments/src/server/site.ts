import { type Look, pages } from 'nest-oauth2/pages';

/** The look of all pages: the pages of the library and the telephone. */
export const look: Look = { site: 'The bank of Wonderland', home: '/phone' };

/** The ready-made pages: login and sign-out. */
export const site = pages(look);
