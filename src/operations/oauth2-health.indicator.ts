import { Inject, Injectable } from '@nestjs/common';

import { assertConfig, toOAuthError } from '../../lib/internal.js';
import { type HealthModel, OAuth2Server, TemporarilyUnavailableError } from '../../lib/index.js';
import { logServerError } from './error-log.js';

/** The result of a health check, in the form of `@nestjs/terminus`. */
export interface OAuth2Health {
  status: 'up' | 'down';
  /** Why the server is down. The original error is only logged, because it may contain an address. */
  message?: string;
}

/**
 * Checks whether the store is reachable and whether features with a health check work, such as `keys()`. Use it with
 * `@nestjs/terminus`, `health.check([() => oauth2.isHealthy()])`, or alone. Add it to the providers of a module that
 * can inject `OAuth2Server`. The model requires a method `ping()`, which the ready-made stores have.
 */
@Injectable()
export class OAuth2HealthIndicator {
  private readonly model: Partial<HealthModel>;
  private readonly context: OAuth2Server['context'] | undefined;
  /** The running check, which simultaneous calls share. */
  private runningCheck: Promise<OAuth2Health> | undefined;

  /** @throws {InvalidArgumentError} If the model has no method `ping()`. */
  constructor(@Inject(OAuth2Server) server: OAuth2Server) {
    this.model = server.options.model as Partial<HealthModel>;
    this.context = server.context;
    assertConfig(typeof this.model.ping === 'function', NO_PING);
  }

  /**
   * Runs the health check. It never rejects, and always returns within the timeout.
   * @param timeout seconds after which a check that has not completed counts as down. Default: `1`.
   */
  async isHealthy<K extends string = 'oauth2'>(
    key: K = 'oauth2' as K,
    { timeout = 1 } = {},
  ): Promise<Record<K, OAuth2Health>> {
    const running = (this.runningCheck ??= this.runCheck());
    const forgetCheck = () => void (this.runningCheck === running && (this.runningCheck = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<OAuth2Health>((resolve) => {
      timer = setTimeout(() => {
        // Start a new check next time, because this one may never end.
        forgetCheck();
        resolve(down(`the store did not respond within ${timeout} s`));
      }, timeout * 1000);
    });
    const health = await Promise.race([running, late]);
    forgetCheck();
    clearTimeout(timer);
    return { [key]: health } as Record<K, OAuth2Health>;
  }

  private async runCheck(): Promise<OAuth2Health> {
    try {
      await this.model.ping!();
    } catch (thrown) {
      return failed(thrown, 'the store cannot be reached');
    }
    // A mock server of a test lists no features.
    for (const { feature, parts } of this.context?.installed ?? []) {
      try {
        const problem = await parts.health?.();
        if (problem !== undefined) return down(`${feature.specification ?? feature.id}: ${problem}`);
      } catch (thrown) {
        return failed(thrown, `${feature.specification ?? feature.id} does not work`);
      }
    }
    return { status: 'up' };
  }
}

/** Logs the original error, which is not part of the result. */
function failed(thrown: unknown, message: string): OAuth2Health {
  logServerError(thrown instanceof TemporarilyUnavailableError ? thrown : toOAuthError(thrown));
  return down(message);
}

const down = (message: string): OAuth2Health => ({ status: 'down', message });

const NO_PING =
  'OAuth2HealthIndicator requires the model method `ping()`: implement it as a cheap check that rejects if the store cannot be reached';
