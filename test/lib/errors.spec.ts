import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import OAuth2Server, * as engine from 'nest-oauth2/server';

const CATALOGUE = [
  ['OAuthError', 500, 'Error', 'Internal Server Error'],
  ['AccessDeniedError', 400, 'access_denied', 'Bad Request'],
  ['ConsentRequiredError', 400, 'consent_required', 'Bad Request'],
  ['InsufficientScopeError', 403, 'insufficient_scope', 'Forbidden'],
  ['InteractionRequiredError', 400, 'interaction_required', 'Bad Request'],
  ['RequestNotSupportedError', 400, 'request_not_supported', 'Bad Request'],
  ['RequestUriNotSupportedError', 400, 'request_uri_not_supported', 'Bad Request'],
  ['RegistrationNotSupportedError', 400, 'registration_not_supported', 'Bad Request'],
  ['InvalidArgumentError', 500, 'invalid_argument', 'Internal Server Error'],
  ['InvalidClientError', 400, 'invalid_client', 'Bad Request'],
  ['InvalidClientMetadataError', 400, 'invalid_client_metadata', 'Bad Request'],
  ['InvalidGrantError', 400, 'invalid_grant', 'Bad Request'],
  ['InvalidRedirectUriError', 400, 'invalid_redirect_uri', 'Bad Request'],
  ['InvalidRequestError', 400, 'invalid_request', 'Bad Request'],
  ['InvalidScopeError', 400, 'invalid_scope', 'Bad Request'],
  ['InvalidSoftwareStatementError', 400, 'invalid_software_statement', 'Bad Request'],
  ['InvalidTargetError', 400, 'invalid_target', 'Bad Request'],
  ['InvalidAuthorizationDetailsError', 400, 'invalid_authorization_details', 'Bad Request'],
  ['InvalidTokenError', 401, 'invalid_token', 'Unauthorized'],
  ['LoginRequiredError', 400, 'login_required', 'Bad Request'],
  ['ServerError', 503, 'server_error', 'Service Unavailable'],
  ['TemporarilyUnavailableError', 503, 'temporarily_unavailable', 'Service Unavailable'],
  ['UnapprovedSoftwareStatementError', 400, 'unapproved_software_statement', 'Bad Request'],
  ['UnauthorizedClientError', 400, 'unauthorized_client', 'Bad Request'],
  ['UnauthorizedRequestError', 401, 'unauthorized_request', 'Unauthorized'],
  ['UnsupportedGrantTypeError', 400, 'unsupported_grant_type', 'Bad Request'],
  ['UnsupportedResponseTypeError', 400, 'unsupported_response_type', 'Bad Request'],
  ['UnsupportedTokenTypeError', 400, 'unsupported_token_type', 'Bad Request'],
  ['InvalidRequestObjectError', 400, 'invalid_request_object', 'Bad Request'],
  ['InvalidRequestUriError', 400, 'invalid_request_uri', 'Bad Request'],
  ['InvalidDpopProofError', 400, 'invalid_dpop_proof', 'Bad Request'],
  ['UseDpopNonceError', 400, 'use_dpop_nonce', 'Bad Request'],
  ['AuthorizationPendingError', 400, 'authorization_pending', 'Bad Request'],
  ['SlowDownError', 400, 'slow_down', 'Bad Request'],
  ['ExpiredTokenError', 400, 'expired_token', 'Bad Request'],
  ['AccountSelectionRequiredError', 400, 'account_selection_required', 'Bad Request'],
  ['UnmetAuthenticationRequirementsError', 400, 'unmet_authentication_requirements', 'Bad Request'],
  ['InsufficientUserAuthenticationError', 401, 'insufficient_user_authentication', 'Unauthorized'],
  ['UnknownUserIdError', 400, 'unknown_user_id', 'Bad Request'],
  ['ExpiredLoginHintTokenError', 400, 'expired_login_hint_token', 'Bad Request'],
  ['MissingUserCodeError', 400, 'missing_user_code', 'Bad Request'],
  ['InvalidUserCodeError', 400, 'invalid_user_code', 'Bad Request'],
  ['InvalidBindingMessageError', 400, 'invalid_binding_message', 'Bad Request'],
] as const;

describe.each(CATALOGUE)('error class %s', (className, status, name, phrase) => {
  const ErrorClass = OAuth2Server[className];

  it(`has the status ${status} and the name ${name}`, () => {
    const error = new ErrorClass('what is wrong');
    expect([error.code, error.status, error.statusCode]).toEqual([status, status, status]);
    const enumerable = className === 'InvalidArgumentError' ? [] : ['code', 'status', 'statusCode'];
    expect(Object.keys(error).toSorted()).toEqual(enumerable);
    expect([error.name, error.message, String(error)]).toEqual([name, 'what is wrong', `${name}: what is wrong`]);
    expect(error).toBeInstanceOf(engine.OAuthError);
    expect(error).toBeInstanceOf(Error);
    expect([error.constructor.name, error.inner]).toEqual([className, undefined]);
  });

  it('is an export, and a static property of OAuth2Server, with the same name', () => {
    expect(Object.entries(engine)).toContainEqual([className, ErrorClass]);
  });

  it('has the phrase of its HTTP status as default message', () => {
    expect(new ErrorClass().message).toBe(phrase);
    expect(new ErrorClass(undefined, { code: 429 }).message).toBe('Too Many Requests');
    expect(new ErrorClass(undefined, { code: 799 }).message).toBe('Unknown error');
  });

  it('takes its message from the error it is created with, and keeps that error as `inner` and `cause`', () => {
    const cause = new TypeError('deep down');
    const error = new ErrorClass(cause);
    expect([error.message, error.inner, error.cause]).toEqual(['deep down', cause, cause]);
    expect(Object.keys(error)).not.toContain('inner');
  });

  it('accepts additional properties, including the status', () => {
    const error = new ErrorClass('x', { code: 429, retryAfter: 3 });
    expect(error).toMatchObject({ code: 429, status: 429, statusCode: 429, retryAfter: 3 });
    expect(error.name).toBe(name);
  });

  it('keeps its prototype despite a property named `__proto__`', () => {
    const error = new ErrorClass('x', JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>);
    expect(error).toBeInstanceOf(ErrorClass);
    expect('polluted' in error || 'polluted' in {}).toBe(false);
  });
});

describe('OAuthError and the classes derived from it', () => {
  it('are the only exports whose names end in `Error`', () => {
    const exported = Object.keys(engine).filter((name) => name.endsWith('Error'));
    expect(exported.toSorted()).toEqual(CATALOGUE.map(([name]) => name).toSorted());
  });

  it('are printed without HTTP status if they are configuration errors', () => {
    expect(inspect(new engine.InvalidArgumentError('the option `issuer` is missing'))).not.toMatch(/status|code: 500/);
  });

  it('have a stack trace if they report a server error or a configuration error', () => {
    expect(new engine.OAuthError('x').stack).toContain('errors.spec.ts');
    expect(new engine.ServerError('x').stack).toContain('errors.spec.ts');
    expect(new engine.InvalidArgumentError('x').stack).toContain('errors.spec.ts');
  });

  it('have no stack trace if they reject a request, because creating it is expensive', () => {
    expect(new engine.InvalidGrantError('x').stack).not.toContain('errors.spec.ts');
    expect(new engine.InvalidTokenError('x').stack).not.toContain('errors.spec.ts');
  });

  it('do not change `Error.stackTraceLimit`', () => {
    const depth = Error.stackTraceLimit;
    expect(new engine.InvalidGrantError('x').message).toBe('x');
    expect(Error.stackTraceLimit).toBe(depth);
  });

  it('can have a custom name', () => {
    expect(new engine.OAuthError('x', { name: 'slow_down', code: 400 }).name).toBe('slow_down');
  });
});
