import { Inject, Injectable, type Provider } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { AcceptedFindings } from './accepted-findings.js';
import type { Report } from './report.js';
import { type OAuth2ReportOptions, reportOn, type ReportRequest } from './report-on.js';
import { applicationIn } from './find-servers.js';

/**
 * Judges the configuration of all servers of the application by RFC 9700, OAuth 2.1, OpenID Connect, FAPI 2.0 and the
 * MCP specification. Add it to the providers of any module: `OAuth2Report`, or `OAuth2Report.with({ … })` with options.
 */
@Injectable()
export class OAuth2Report {
  /** The options of `with()`. The command `nest-oauth2 doctor` reads them. @internal */
  readonly options: OAuth2ReportOptions = {};

  /** @internal */
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
  ) {}

  /**
   * Returns a provider of `OAuth2Report` with options.
   * @throws {InvalidArgumentError} If an accepted finding has no rule, no reason or no valid day.
   */
  static with(options: OAuth2ReportOptions): Provider {
    void new AcceptedFindings(options.accepted ?? []);
    return {
      provide: OAuth2Report,
      inject: [ModulesContainer, ApplicationConfig],
      useFactory: (modules: ModulesContainer, config: ApplicationConfig) =>
        Object.assign(new OAuth2Report(modules, config), { options }),
    };
  }

  /** Makes a report about all servers of the application. It changes nothing, and does not reject if a store fails. */
  create(request: ReportRequest = {}): Promise<Report> {
    const { servers } = applicationIn(this.modules, this.config.getGlobalGuards());
    return reportOn(servers, { ...this.options, ...request });
  }
}
