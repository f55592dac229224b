const PASSWORD = 'The README gets a token with one curl command. No person signs in.';

/** The findings of a sample as it is started in development, each with the reason why the sample keeps it. */
type Explained = Readonly<Record<string, string>>;

/** The samples whose modules the tests can load. */
export const LOADED: Readonly<Record<string, Explained>> = {
  '01-quick-start/src': { 'client-password-grant client:demo-web': PASSWORD },
  '02-migrated-model/src': {
    'token-no-replay-detection model': 'The sample shows an old model as it is.',
    'token-not-atomic model': 'The sample shows an old model as it is.',
  },
  '05-resource-server/src/api': {},
  '05-resource-server/src/authorization-server': { 'client-password-grant client:demo': PASSWORD },
  '07-websockets/src': { 'client-password-grant client:demo': PASSWORD },
  '08-microservices/src': { 'client-password-grant client:demo': PASSWORD },
  '09-two-servers/src': { 'client-password-grant client:shop-app': PASSWORD },
  '10-mcp/src': {},
  '11-openid/src/server': {},
  '12-social-login/src/provider': {},
  '12-social-login/src/server': {},
  '13-audit/src': { 'client-password-grant client:demo': PASSWORD },
  '14-swagger/src': {},
  '15-device/src/server': {
    'secret-guessable option:secret': 'The sample keeps nothing, and its secret is in the code.',
  },
  '18-payments/src/server': {},
  '20-accounts/src': {},
};

/** The samples that need their own packages or a database. */
export const INSTALLED: Readonly<Record<string, Explained>> = {
  '03-typeorm-postgres': { 'client-password-grant client:demo': PASSWORD },
  '04-redis': { 'client-password-grant client:demo': PASSWORD },
  '06-graphql': { 'client-password-grant client:demo': PASSWORD },
  '16-passport': {},
  '19-mcp-nest': {},
};
