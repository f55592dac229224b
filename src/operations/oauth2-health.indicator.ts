import { Inject, Injectable } from '@nestjs/common';
import { assertConfig, toOAuthError } from '../../lib/adapter/index.js';
import { type HealthModel, OAuth2Server, TemporarilyUnavailableError } from '../../lib/index.js';
import { logServerError } from './error-log.js';

/** What a health check says of a server, in the form of `@nestjs/terminus`. */
export interface OAuth2Health {
  status: 'up' | 'down';
  /** Why it is down. What the store said stands in the log: there may be an address in it. */
  message?: string;
}

/**
 * Is the store within reach, and do the features work that say so, as `keys()` does? For `@nestjs/terminus`, `health.check([() => oauth2.isHealthy()])`, or without it. A provider of
 * any module which sees `OAuth2Server`; the model needs the method `ping()`, which the ready-made stores have.
 */
@Injectable()
export class OAuth2HealthIndicator {
  private readonly model: Partial<HealthModel>;
  private readonly facts: OAuth2Server['context'] | undefined;
  /** However many ask at once, one looks. */
  private runningCheck: Promise<OAuth2Health> | undefined;

  /** @throws InvalidArgumentError when the model cannot tell */
  constructor(@Inject(OAuth2Server) server: OAuth2Server) {
    this.model = server.options.model as Partial<HealthModel>;
    this.facts = server.context;
    assertConfig(typeof this.model.ping === 'function', NO_PING);
  }

  /**
   * Never rejects, and answers in time whatever the store does.
   * @param timeout seconds after which a store that does not answer is down
   */
  async isHealthy<K extends string = 'oauth2'>(
    key: K = 'oauth2' as K,
    { timeout = 1 } = {},
  ): Promise<Record<K, OAuth2Health>> {
    const looking = (this.runningCheck ??= this.runCheck());
    const isOver = () => void (this.runningCheck === looking && (this.runningCheck = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<OAuth2Health>((resolve) => {
      timer = setTimeout(() => {
        // A look that never ends must not be the answer for ever.
        isOver();
        resolve(down(`the store did not answer within ${timeout} s`));
      }, timeout * 1000);
    });
    const health = await Promise.race([looking, late]);
    isOver();
    clearTimeout(timer);
    return { [key]: health } as Record<K, OAuth2Health>;
  }

  private async runCheck(): Promise<OAuth2Health> {
    try {
      await this.model.ping!();
    } catch (thrown) {
      return failed(thrown, 'the store cannot be reached');
    }
    // A stand-in for the server, as tests have it, lists no features.
    for (const { feature, parts } of this.facts?.installed ?? []) {
      try {
        const fault = await parts.health?.();
        if (fault !== undefined) return down(`${feature.specification ?? feature.id}: ${fault}`);
      } catch (thrown) {
        return failed(thrown, `${feature.specification ?? feature.id} does not work`);
      }
    }
    return { status: 'up' };
  }
}

/** What was thrown is for the log alone. */
function failed(thrown: unknown, message: string): OAuth2Health {
  logServerError(thrown instanceof TemporarilyUnavailableError ? thrown : toOAuthError(thrown));
  return down(message);
}

const down = (message: string): OAuth2Health => ({ status: 'down', message });

const NO_PING =
  'OAuth2HealthIndicator needs the model method `ping()`: implement it as a look that costs little and rejects where the store cannot be reached';
