import { pages } from 'nest-oauth2/pages';

/** Login and logout, ready-made. */
export const site = pages({ site: 'The bank of Wonderland' });
