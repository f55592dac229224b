import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from '@typescript/typescript6';

const root = join(import.meta.dirname, '../../..');

/**
 * Options whose doc comment says what their absence means in the form "If omitted, … every, any, all, no, none, not or
 * without". Each needs a decision: why the library may accept or publish more without it, or why it does not.
 */
const DECISIONS: Readonly<Record<string, string>> = {
  'AccountsOptions.personalAccessTokens': 'accepts less',
  'AccountsOptions.realm': 'accepts more: one store usually has one table of users, and tenants are kept apart anyway',
  'AttackLabOptions.only': 'runs all attacks',
  'CoreClient.issuer':
    'accepts more: servers of one issuer need no such field, and tenants reject clients that registered themselves',
  'DpopOptions.nonce': 'accepts more: proofs are limited by `iat` and `jti`, and a nonce costs each client a request',
  'Fapi2Options.scopes': 'publishes less',
  'IssueOptions.complete': 'internal: a server without features has no hooks',
  'JwtAccessTokensOptions.resources': 'changes only the format of tokens',
  'JwtBearerOptions.anonymous': 'accepts less',
  'JwtTokensOptions.isRevoked':
    'accepts more: a JWT is valid until `exp` by design, and an API without a list of revocations has nothing to ask',
  'ListClientsOptions.search': 'the administrator asks for all clients',
  'McpOptions.clientIdDocuments': 'accepts more: MCP clients must be able to connect without registration',
  'McpOptions.enterprise': 'accepts less',
  'McpOptions.name': 'publishes less',
  'McpOptions.registration': 'accepts more: MCP clients must be able to register, within the rate limit',
  'MutualTlsOptions.endpointAliases': 'changes only URLs',
  'OnOAuth2EventOptions.server': 'a listener without a server receives all events',
  'OpenIdOptions.claimsLocales': 'publishes less',
  'OpenIdOptions.pairwise': 'public subjects are the default of OpenID Connect Core 1.0 §8',
  'PagesOptions.forgotPassword': 'shows less',
  'PagesOptions.organizations': 'shows less',
  'PagesOptions.rememberLifetime': 'shows less',
  'PagesOptions.signIn': 'reports less',
  'PagesOptions.signUp': 'shows less',
  'PasswordOptions.fetch': 'accepts more: the check asks a service of others, so the application decides',
  'PersonalAccessTokenOptions.resource': 'accepts less: APIs that compare the resource reject a token without one',
  'ProofOptions.store': 'examines less',
  'RefreshingCacheSettings.skipsCoolDown': 'accepts less',
  'RegistrationOptions.initialAccessScope':
    'accepts more: open registration is what `registration()` is for, and such clients get only its `scopes`, with consent',
  'RequestObjectOptions.maxLifetime': 'accepts more: RFC 9101 makes both claims optional, and FAPI 2.0 sets the limit',
  'RequireAuthOptions.acr': 'accepts more: `maxAge` is then required',
  'RequireAuthOptions.maxAge': 'accepts more: `acr` is then required',
  'RevokeBeforeOptions.issuer': 'revokes grants of the issuer of the server, and those without an issuer',
  'SecondFactorOptions.acr': 'reports less',
  'SecretOptions.secretLifetime': 'accepts more: a secret that expires unnoticed stops the client',
  'ServerMetadataOptions.grantTypes': 'publishes what the server accepts',
  'ServerMetadataOptions.scopes': 'publishes less',
  'SessionClient.grantId': 'belongs to no grant',
  'SignInOptions.acr': 'reports less',
  'SignInOptions.amr': 'reports less',
  'StoredClient.scopes': 'accepts less',
  'TokenOptions.cors': 'accepts less: browsers block responses without CORS headers',
  'UpstreamsOptions.realm': 'accepts more: as `AccountsOptions.realm`',
};

const NAMES = /(?:Options|Rules|Requirements|Cache|Settings|Client|StepUp)$/;
const ABSENCE = /If omitted,[^.]*\b(?:every|any|all|no|not|none|without)\b/i;

/** Returns the optional members of an exported interface of options that accept more or less if they are omitted. */
function membersOf(node: ts.Node): string[] {
  if (!ts.isInterfaceDeclaration(node) || !NAMES.test(node.name.text)) return [];
  if (!node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  return node.members.flatMap((member) => {
    const [comment] = ts.getJSDocCommentsAndTags(member);
    const text = comment?.getText().replaceAll(/\s*\n\s*\*\s*/g, ' ') ?? '';
    return ABSENCE.test(text) ? [`${node.name.text}.${member.name!.getText()}`] : [];
  });
}

describe('an option that may be omitted', () => {
  it('has a decision in this table if its absence accepts more', () => {
    const found = ['lib', 'src'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.startsWith('kit'))
        .flatMap((path) => {
          const text = readFileSync(join(root, folder, path), 'utf8');
          return ts
            .createSourceFile(path, text, ts.ScriptTarget.Latest, true)
            .statements.flatMap((statement) => membersOf(statement));
        }),
    );
    expect([...new Set(found)].toSorted()).toEqual(Object.keys(DECISIONS).toSorted());
  });
});
