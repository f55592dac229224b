import { type ReportRule, rule } from '../rule.js';
import { observe } from './observe.js';

/** Rules about the store, the process and the operation of a server. */
export const OPERATION_RULES: readonly ReportRule[] = [
  rule('store-in-memory', 'high', 'RFC 9700 §4.14.2', {
    should: 'Clients, grants and used codes survive a restart, and all processes share them.',
    change: 'Use a store with a database.',
    code: "new RedisStore(client, { users }) // or 'nest-oauth2/stores/typeorm'",
    risk: 'After a restart, used codes and revocations are forgotten, and all users are signed out.',
    isFineInDevelopment: true,
    judge: ({ store }) => observe('model', store.kind === 'MemoryStore' && 'The store keeps everything in memory.'),
  }),
  rule('store-unreachable', 'high', 'RFC 6749 §5.2', {
    should: 'The store answers.',
    change: 'Verify the address and the credentials of the database, and read the log of the application.',
    risk: 'All requests fail. The rules about clients and keys have judged nothing.',
    judge: ({ store }) => observe('model', store.isReachable === false && `\`${store.kind}\` cannot be reached.`),
  }),
  rule('store-schema', 'high', 'RFC 6749 §5.2', {
    should: 'The database has the schema that the store needs.',
    change: 'Run the migrations. The start of the application lists the differences.',
    code: 'npx typeorm migration:run -d dist/data-source.js',
    risk: 'Some requests fail, or a revocation is not stored.',
    judge: ({ store }) => observe('model', store.isSchemaCurrent === false && 'The schema check of the store fails.'),
  }),
  rule('store-not-pruned', 'low', 'RFC 6819 §5.1.5.3', {
    should: 'Expired records are deleted.',
    change: 'Add `OAuth2Maintenance` to the providers, or call `prune()` at intervals.',
    code: 'providers: [OAuth2Maintenance]',
    risk: 'The tables grow, and a copy of the database shows who signed in where for years.',
    isFineInDevelopment: true,
    judge: ({ store, application }) =>
      observe(
        'providers',
        /^(?:TypeOrm|Drizzle|Prisma)Store$/.test(store.kind) &&
          application &&
          !application.hasProvider('OAuth2Maintenance') &&
          'The application does not delete expired records at intervals.',
      ),
  }),
  rule('operation-no-alerts', 'info', 'RFC 9700 §4.14.2', {
    should: 'Somebody is told if a refresh token is replayed.',
    change: 'Listen to the event, and alert.',
    code: "@OnOAuth2Event('token.reuse_detected') alert(event) { … }",
    risk: 'A theft is only a line in the log.',
    judge: ({ options, application }) =>
      observe(
        'events',
        application &&
          !application.hasListeners &&
          (options.events as { hasSink?: boolean } | undefined)?.hasSink === false &&
          'Nothing listens to events.',
      ),
  }),
  rule('process-not-production', 'info', 'RFC 6819 §5.1.5.3', {
    should: 'A public server runs with `NODE_ENV=production`.',
    change: 'Set the variable in the environment of the process.',
    code: 'NODE_ENV=production node dist/main.js',
    risk: 'Frameworks show stack traces in error pages.',
    judge: ({ process, isDevelopment }) =>
      observe('process', !process.isProduction && !isDevelopment && '`NODE_ENV` is not `production`.'),
  }),
  rule('process-accepts-any-certificate', 'high', 'RFC 9700 §2.6', {
    should: 'Certificates of other servers are verified.',
    change: 'Remove the variable `NODE_TLS_REJECT_UNAUTHORIZED`.',
    code: 'NODE_EXTRA_CA_CERTS=/etc/ssl/own-ca.pem node dist/main.js',
    risk: 'A network attacker replaces the keys of clients and issuers.',
    judge: ({ process }) =>
      observe('process', !process.verifiesTls && '`NODE_TLS_REJECT_UNAUTHORIZED` is `0`: any certificate is accepted.'),
  }),
  rule('route-not-guarded', 'high', 'RFC 6750 §3', {
    should: 'A route with `@Scopes()` or another requirement is guarded.',
    change: 'Add the guard to the controller.',
    code: '@UseGuards(OAuthGuard)',
    risk: 'The decorator does nothing: everybody can call the route without a token.',
    judge: ({ application }) =>
      (application?.routes ?? []).flatMap(({ name, isGuarded, decorators }) =>
        observe(
          `route:${name}`,
          !isGuarded && decorators.length > 0 && `The route has ${decorators.join(' and ')}, but no \`OAuthGuard\`.`,
        ),
      ),
  }),
  rule('route-any-scope', 'info', 'RFC 9700 §2.3', {
    should: 'Each guarded route requires a scope.',
    change: 'Add the scope that the route needs.',
    code: "@Scopes('notes:read')",
    risk: 'Every token of this server opens the route, whatever the user agreed to.',
    judge: ({ application, options }) =>
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
  }),
];
