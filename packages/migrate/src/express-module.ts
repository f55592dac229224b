import type { ExpressModule } from './source.js';

const ABOUT = [
  '/**',
  ' * The middleware of `express-oauth-server` on `nest-oauth2/server`. `nest-oauth2-migrate` created this file, which now',
  ' * belongs to the application.',
  ' */',
];

const IMPORTED = 'OAuth2Server, Request, Response, UnauthorizedRequestError';

/** Returns the source of a class with the interface of `express-oauth-server`. */
export function expressModule({ syntax }: Pick<ExpressModule, 'syntax'>): string {
  const isTs = syntax === 'ts';
  const ts = (text: string) => (isTs ? text : '');
  const middlewareOf = (operation: string, name: string) => [
    `  ${operation}(options${ts(`?: ${name}Options`)})${ts(': RequestHandler')} {`,
    `    return middleware(this, '${operation}', options);`,
    '  }',
  ];
  const imports = {
    cjs: ["'use strict';", '', `const { ${IMPORTED} } = require('nest-oauth2/server');`],
    esm: [`import { ${IMPORTED} } from 'nest-oauth2/server';`],
    ts: [
      "import type { RequestHandler, Response as ExpressResponse } from 'express';",
      `import { ${IMPORTED} } from 'nest-oauth2/server';`,
      "import type { AuthenticateOptions, AuthorizeOptions, OAuth2ServerOptions, TokenOptions } from 'nest-oauth2/server';",
      '',
      'export interface ExpressOAuthServerOptions extends OAuth2ServerOptions {',
      '  useErrorHandler?: boolean;',
      '  continueMiddleware?: boolean;',
      '}',
    ],
  };
  return [
    ...imports[syntax],
    '',
    ...ABOUT,
    `${syntax === 'cjs' ? '' : 'export default '}class ExpressOAuthServer {`,
    ...(isTs
      ? [
          '  readonly server: OAuth2Server;',
          '  readonly useErrorHandler: boolean;',
          '  readonly continueMiddleware: boolean;',
          '',
        ]
      : []),
    `  constructor({ useErrorHandler = false, continueMiddleware = false, ...options }${ts(': ExpressOAuthServerOptions')}) {`,
    '    this.useErrorHandler = useErrorHandler;',
    '    this.continueMiddleware = continueMiddleware;',
    '    this.server = new OAuth2Server(options);',
    '  }',
    '',
    ...middlewareOf('authenticate', 'Authenticate'),
    '',
    ...middlewareOf('authorize', 'Authorize'),
    '',
    ...middlewareOf('token', 'Token'),
    '}',
    '',
    ...(isTs
      ? [
          'function middleware(',
          '  oauth: ExpressOAuthServer,',
          "  operation: 'authenticate' | 'authorize' | 'token',",
          '  options: object | undefined,',
          '): RequestHandler {',
        ]
      : ['function middleware(oauth, operation, options) {']),
    '  return async (req, res, next) => {',
    '    const response = new Response();',
    `    let result${ts(': unknown')};`,
    '    try {',
    '      result = await oauth.server[operation](new Request(req), response, options);',
    `    } catch (${isTs ? 'caught' : 'error'}) {`,
    ...(isTs ? ['      const error = caught as Error & { status: number };'] : []),
    '      if (oauth.useErrorHandler) return next(error);',
    "      if (operation === 'authenticate' && error.status < 500) {",
    '        const isMissing = error instanceof UnauthorizedRequestError;',
    '        response.body = isMissing ? undefined : { error: error.name, error_description: error.message };',
    '      }',
    '      return send(res, response);',
    '    }',
    "    res.locals.oauth = operation === 'authorize' ? { code: result } : { token: result };",
    "    if (operation === 'authenticate') {",
    '      res.set(response.headers);',
    '      return next();',
    '    }',
    '    if (oauth.continueMiddleware) next();',
    '    send(res, response);',
    '  };',
    '}',
    '',
    `function send(res${ts(': ExpressResponse')}, response${ts(': Response')})${ts(': void')} {`,
    `  res.set(response.headers).status(response.status${ts(' ?? 200')}).send(response.body);`,
    '}',
    ...(syntax === 'cjs' ? ['', 'module.exports = ExpressOAuthServer;'] : []),
    '',
  ].join('\n');
}
