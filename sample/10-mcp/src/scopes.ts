import { defineScopes } from 'nest-oauth2';

/** Said once: the tools, the consent page and the metadata have them from here. */
export const scopes = defineScopes({
  'notes:read': { title: 'Read notes', consent: 'Read your notes' },
  'notes:write': { title: 'Write notes', consent: 'Write notes for you' },
} as const);
