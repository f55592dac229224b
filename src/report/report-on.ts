import { assertConfig } from '../../lib/internal.js';
import type { OAuth2Server } from '../../lib/index.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { type AcceptedFinding, AcceptedFindings } from './accepted-findings.js';
import type { ReportApplication } from './facts/application.js';
import { type ListClients, readFacts } from './facts/read-facts.js';
import { Judgement } from './judge.js';
import { examineDeployment } from './deployment/examine.js';
import { DEPLOYMENT_RULES } from './deployment/rules.js';
import type { Report } from './report.js';
import { REPORT_RULES } from './rule.js';
import { RULES } from './rules/index.js';

/** The options of reports that belong to the application. */
export interface OAuth2ReportOptions {
  /** Findings that the application accepts, each with a reason and a last day. Default: none. */
  accepted?: readonly AcceptedFinding[];
  /** Lists the clients, if the model cannot list them. If omitted, `listClients()` of the model does. */
  clients?: ListClients;
}

/** The options of one report. */
export interface ReportRequest {
  /** The tenants to examine, if a server has tenants. Default: none. */
  tenants?: readonly string[];
  /**
   * The issuer, or another URL of the deployment, to examine from outside: at most 20 requests. If omitted, no request
   * is sent.
   */
  url?: string;
}

/** The server to examine, and the application that it belongs to. */
export interface ReportedServer {
  /** The name of the server. If omitted, it is the default server. */
  readonly name?: string | undefined;
  readonly server: OAuth2Server;
  readonly application?: ReportApplication | undefined;
}

/**
 * Judges servers, and a deployment from outside, and returns the report. It changes nothing.
 * @throws {InvalidArgumentError} If an accepted finding is invalid, or if there is no server and no URL.
 * @throws {InvalidRequestError} (404) If a tenant is unknown.
 */
export async function reportOn(
  servers: readonly ReportedServer[],
  { accepted = [], clients, tenants = [], url }: OAuth2ReportOptions & ReportRequest = {},
): Promise<Report> {
  assertConfig(servers.length > 0 || url !== undefined, NO_SERVER);
  const judgement = new Judgement(new AcceptedFindings(accepted));
  for (const { name, server, application } of servers) {
    const tenantServers = tenantServersOf(server);
    const judge = async (one: OAuth2Server, tenant?: string) => {
      const facts = await readFacts(one, { application, clients, tenant, tenants: tenantServers && tenants });
      const rules = [...ALL_RULES, ...one.context.all(REPORT_RULES)];
      const isShared = tenantServers !== undefined && tenant === undefined;
      const examined = one.options.issuer ?? `server ${name ?? 'without issuer'}`;
      if (!isShared) judgement.judge(facts, rules, examined, { server: name, tenant });
      else if (tenants.length === 0) judgement.judge(facts, TENANT_RULES, examined, { server: name });
    };
    await judge(server);
    for (const tenant of tenantServers ? tenants : []) await judge(await tenantServers!.get(tenant), tenant);
  }
  if (url !== undefined) judgement.judge(await examineDeployment(url), DEPLOYMENT_RULES, url);
  return judgement.report();
}

const NO_SERVER =
  'no server was found to report on: import OAuth2Module. A server with a request-scoped model cannot be examined';

const ALL_RULES = Object.values(RULES).flat();
/** The rules for the part of a server that all tenants share. Its features belong to the servers of tenants. */
const TENANT_RULES = ALL_RULES.filter(({ id }) => id === 'tenants-not-examined');
