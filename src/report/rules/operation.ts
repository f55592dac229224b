import { needsMaintenance } from '../../module/provider-names.js';
import { observe, type ReportRule, rulesOf } from '../rule.js';
import { unguarded } from './observe.js';

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
store-in-memory | high* | model | RFC 9700 §4.14.2 | Clients, grants and used codes survive a restart, and all processes share them. | Use a store with a database. | new RedisStore({ client, users }) // of 'nest-oauth2/stores/redis' | After a restart, used codes and revocations are forgotten, and all users are signed out.
store-unreachable | high | model | RFC 6749 §5.2 | The store answers. | Verify the address and the credentials of the database, and read the log of the application. | | All requests fail. The rules about clients and keys have judged nothing.
store-schema | high | model | RFC 6749 §5.2 | The database has the schema that the store needs. | Run the migrations. The start of the application lists the differences. | npx typeorm migration:run -d dist/data-source.js | Some requests fail, or a revocation is not stored.
store-not-pruned | low* | providers | RFC 6819 §5.1.5.3 | Expired records are deleted. | Add \`OAuth2Maintenance\` to the providers, or call \`prune()\` at intervals. | providers: [OAuth2Maintenance] | The tables grow, and a copy of the database shows who signed in where for years.
operation-no-alerts | info | events | RFC 9700 §4.14.2 | A replayed refresh token causes an alert. | Listen to the event, and alert. | @OnOAuth2Event('token.reuse_detected') alert(event) { … } | A theft is only a line in the log.
process-not-production | info | process | RFC 6819 §5.1.5.3 | A public server runs with \`NODE_ENV=production\`. | Set the variable in the environment of the process. | NODE_ENV=production node dist/main.js | Frameworks show stack traces in error pages.
process-accepts-any-certificate | high | process | RFC 9700 §2.6 | Certificates of other servers are verified. | Remove the variable \`NODE_TLS_REJECT_UNAUTHORIZED\`. | NODE_EXTRA_CA_CERTS=/etc/ssl/own-ca.pem node dist/main.js | A network attacker replaces the keys of clients and issuers.
route-not-guarded | high | | RFC 6750 §3 | A route with \`@Scopes()\` or another requirement is guarded. | Add the guard to the controller. | @UseGuards(OAuthGuard) | The decorator has no effect: the route accepts requests without a token.
route-any-scope | info | | RFC 9700 §2.3 | Each guarded route requires a scope. | Add the scope that the route needs. | @Scopes('notes:read') | Every token of this server opens the route, whatever the user agreed to.
`;

/** Rules about the store, the process and the operation of a server. */
export const OPERATION_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'store-in-memory': ({ store }) => store.kind === 'MemoryStore' && 'The store keeps everything in memory.',
  'store-unreachable': ({ store }) => store.isReachable === false && `\`${store.kind}\` cannot be reached.`,
  'store-schema': ({ store }) => store.isSchemaCurrent === false && 'The schema check of the store fails.',
  'store-not-pruned': ({ store, application }) =>
    needsMaintenance(store.kind) &&
    application &&
    !application.hasProvider('OAuth2Maintenance') &&
    'The application does not delete expired records at intervals.',
  'operation-no-alerts': ({ options, application }) =>
    application &&
    !application.hasListeners &&
    (options.events as { hasSink?: boolean } | undefined)?.hasSink === false &&
    'Nothing listens to events.',
  'process-not-production': ({ process, isDevelopment }) =>
    !process.isProduction && !isDevelopment && '`NODE_ENV` is not `production`.',
  'process-accepts-any-certificate': ({ process }) =>
    !process.verifiesTls && '`NODE_TLS_REJECT_UNAUTHORIZED` is `0`: any certificate is accepted.',
  'route-not-guarded': ({ application }) =>
    (application?.routes ?? []).flatMap(({ name, isGuarded, otherGuards, decorators }) =>
      observe(
        `route:${name}`,
        !isGuarded && decorators.length > 0 && unguarded(`The route has ${decorators.join(' and ')}`, otherGuards),
      ),
    ),
  'route-any-scope': ({ application, options }) =>
    options.scope
      ? []
      : (application?.routes ?? []).flatMap(({ name, isGuarded, isPublic, decorators }) =>
          observe(
            `route:${name}`,
            isGuarded &&
              !isPublic &&
              !decorators.includes('@Scopes()') &&
              !decorators.includes('@AnyScope()') &&
              'The route accepts any access token.',
          ),
        ),
});
