import { OAuth2Server } from 'nest-oauth2/server';
import { capability, type Feature } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { type Finding, type OAuth2ReportOptions, type Report, reportOn } from 'nest-oauth2/report';

/** A random secret for tests. */
export const SECRET = 'kZ3v9QpL7xW2bT8nR5yC1mH6sD4fG0jA';

export const users = {
  findById: (id: string) => ({ id }),
  findByUsername: () => undefined,
  verifyPassword: async () => false,
  credentialOf: () => 'hash',
};

/** A store as in production. `MemoryStore` itself is a finding. */
export class DurableStore extends MemoryStore {
  getClaims = () => ({});
  findAssertedUser = () => undefined;
}

/** The configuration of one server, and the clients that it has. */
export interface Configuration extends OAuth2ReportOptions {
  options?: Partial<ConstructorParameters<typeof OAuth2Server>[0]>;
  /** Fields of one client, in addition to those of a client without findings. */
  client?: object;
  secret?: string;
  /** Variables of the environment. Default: production. */
  environment?: Record<string, string>;
}

const moduleFeature = (secret: string): Feature => ({
  id: 'OAuth2Module',
  install: (builder) => builder.provide(capability<string[]>('server secret', 'OAuth2Module'), () => [secret]),
});

/** Makes the report about a server without findings, except for what the configuration adds. */
export async function reportAbout({
  options = {},
  client,
  secret = SECRET,
  environment = {},
  ...more
}: Configuration): Promise<Report> {
  const model = new DurableStore({ users });
  const features = [moduleFeature(secret), options.features ?? []].flat();
  const server = new OAuth2Server({ model, issuer: 'https://id.company.com', ...options, features });
  const web = {
    id: 'web',
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: ['https://app.company.com/callback'],
    secrets: [{ createdAt: new Date() }],
  };
  const variables = { NODE_ENV: 'production', ...environment };
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  try {
    return await reportOn([{ server }], { clients: () => [{ ...web, ...client }], ...more });
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Returns the rules of findings that are not accepted and not only facts. */
export const rulesOf = (findings: readonly Finding[], severities = ['low', 'medium', 'high']) =>
  [...new Set(findings.filter((one) => severities.includes(one.severity)).map(({ rule }) => rule))].toSorted();
