/** The folders whose tests are judged by mutants, with the tests that belong to each of them. */
export const FOLDERS = {
  'lib/tokens': { files: 'lib/tokens/**/*.ts', tests: ['test/lib/tokens', 'test/lib/grants', 'test/lib/model'] },
  'lib/clients': { files: 'lib/clients/**/*.ts', tests: ['test/lib/clients', 'test/lib/features', 'test/src/clients'] },
  'lib/endpoints': {
    files: 'lib/endpoints/**/*.ts',
    tests: ['test/lib/endpoints', 'test/lib/resource', 'test/lib/grants', 'test/lib/response-types'],
  },
  'lib/features': {
    files: 'lib/features/**/*.ts',
    tests: ['test/lib/features', 'test/lib/grants', 'test/src/features'],
  },
  'lib/stores': {
    files: 'lib/stores/{contract,clients,grants,sessions,store,accounts}/**/*.ts',
    tests: ['test/kit', 'test/stores/every-store'],
  },
  'lib/jose': { files: 'lib/jose/**/*.ts', tests: ['test/lib/jose'] },
  'src/guards': { files: 'src/guards/**/*.ts', tests: ['test/src/guards', 'test/lib/resource'] },
  'src/interaction': {
    files: 'src/interaction/**/*.ts',
    tests: ['test/src/interaction', 'test/src/pages', 'test/src/sessions'],
  },
};
