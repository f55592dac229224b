import type { Look } from 'nest-oauth2/pages';

/** The site name and scope texts, shared by the library's pages and the pages of this sample. */
export const branding = {
  site: 'Notes',
  scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Write notes for you' },
} satisfies Look;

export const scopes = Object.keys(branding.scopes);
