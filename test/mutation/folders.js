/**
 * The folders whose tests are judged by mutants. `tests` names folders and files without `.spec.ts`: the tests of the
 * folder, and those that reach its code through a feature or a route.
 */
export const FOLDERS = {
  'lib/tokens': {
    files: 'lib/tokens/**/*.ts',
    tests: [
      'test/lib/tokens',
      'test/lib/grants',
      'test/lib/model',
      'test/lib/resource',
      'test/lib/features/token-exchange',
      'test/lib/jose/dpop',
    ],
  },
  'lib/clients': {
    files: 'lib/clients/**/*.ts',
    tests: [
      'test/lib/clients',
      'test/lib/features',
      'test/lib/jose/client-secret-jwt',
      'test/lib/jose/private-key-jwt',
      'test/lib/operations',
      'test/src/clients',
    ],
  },
  'lib/endpoints': {
    files: 'lib/endpoints/**/*.ts',
    tests: [
      'test/lib/endpoints',
      'test/lib/resource',
      'test/lib/grants',
      'test/lib/response-types',
      'test/lib/events',
      'test/lib/features/authorization-details',
      'test/lib/jose/dpop',
      'test/lib/operations',
      'test/src/decorators/without-a-guard',
      'test/src/sessions/accepted-sessions',
    ],
  },
  'lib/features': {
    files: 'lib/features/**/*.ts',
    tests: ['test/lib/features', 'test/lib/grants', 'test/lib/openid/id-token', 'test/src/features'],
  },
  'lib/stores': {
    files: 'lib/stores/{contract,clients,grants,sessions,store,accounts}/**/*.ts',
    tests: ['test/kit', 'test/stores/every-store', 'test/src/silent-mistakes'],
  },
  'lib/jose': { files: 'lib/jose/**/*.ts', tests: ['test/lib/jose', 'test/src/report/rules'] },
  'src/guards': {
    files: 'src/guards/**/*.ts',
    tests: [
      'test/src/guards',
      'test/lib/resource',
      'test/src/configuration/check-model',
      'test/src/decorators',
      'test/src/for-root',
      'test/src/mistakes',
      'test/src/servers/named-servers',
      'test/src/sessions/accepted-sessions',
      'test/src/sessions/accepted-sessions-transports',
      'test/src/silent-mistakes',
    ],
  },
  'src/interaction': {
    files: 'src/interaction/**/*.ts',
    tests: ['test/src/interaction', 'test/src/pages', 'test/src/sessions', 'test/src/openid/prompt'],
  },
};
