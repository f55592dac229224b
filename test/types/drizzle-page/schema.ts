import { oauthTables } from 'nest-oauth2/stores/drizzle';

export const { oauthClients, oauthGrants, oauthTokens } = oauthTables('postgresql');
