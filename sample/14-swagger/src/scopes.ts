import { defineScopes } from 'nest-oauth2';

/** The scopes, defined once for the routes, the consent page, the metadata and the OpenAPI document. */
export const scopes = defineScopes({
  'notes:read': { title: 'Read notes', consent: 'Read your notes' },
  'notes:write': { title: 'Write notes', consent: 'Write notes for you' },
} as const);
