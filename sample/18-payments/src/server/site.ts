import { type Look, pages } from 'nest-oauth2/pages';

/** The site name and home page, shared by the library's pages and the phone page. */
export const branding: Look = { site: 'The bank of Wonderland', home: '/phone' };

/** The ready-made pages: login and sign-out. */
export const site = pages(branding);
