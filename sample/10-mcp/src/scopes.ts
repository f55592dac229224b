import { defineScopes } from 'nest-oauth2';

/** The scopes, defined once for the tools, the consent page and the metadata. */
export const scopes = defineScopes({
  'notes:read': { title: 'Read notes', consent: 'Read your notes' },
  'notes:write': { title: 'Write notes', consent: 'Write notes for you' },
  'repositories:read': { title: 'Read repositories', consent: 'List your repositories at GitHub' },
} as const);
