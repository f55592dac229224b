import type { SpaResult, Spa } from './spa.js';

/** The state of one authorization as its client knows it. */
export interface Family {
  code: string;
  accessTokens: string[];
  /** All refresh tokens that were issued to the client. The last one is current. */
  refreshTokens: string[];
  /**
   * `redeeming`: the response to the code is unknown. `refreshing`: the response to the last refresh token is unknown.
   */
  state: 'redeeming' | 'refreshing' | 'idle' | 'replaying' | 'ended';
  /** Whether the server repeats the response to a refresh request until the new refresh token is used. */
  isRepeatable: boolean;
}

/** Users who sign in, refresh, and sometimes have a token stolen, until the server stops. */
export class Load {
  readonly families: Family[] = [];
  /** The number of families that stay idle. */
  settled = 0;

  constructor(
    private readonly spa: Spa,
    private readonly name: string,
    private readonly isRepeatable: boolean,
  ) {}

  async run(users: number): Promise<void> {
    await Promise.all(Array.from({ length: users }, (_, index) => this.runUser(`${this.name}-${index}`)));
  }

  private async runUser(user: string): Promise<void> {
    for (;;) {
      const code = await this.spa.authorize(user);
      if (code === undefined) return;
      const { isRepeatable } = this;
      const family: Family = { code, accessTokens: [], refreshTokens: [], state: 'redeeming', isRepeatable };
      this.families.push(family);
      if (!hear(family, await this.spa.redeem(code))) return;
      for (let refreshes = Math.floor(Math.random() * 4); refreshes > 0; refreshes--) {
        family.state = 'refreshing';
        const current = family.refreshTokens.at(-1)!;
        const again = isRepeatable ? this.spa.refresh(current) : undefined;
        if (!hear(family, await this.spa.refresh(current))) return;
        const retried = await again;
        if (retried && retried.body.refresh_token !== family.refreshTokens.at(-1))
          throw new Error(`A retry got another refresh token: ${JSON.stringify(retried)}`);
      }
      if (family.refreshTokens.length <= 2) this.settled++;
      else if (!(await this.replay(family))) return;
    }
  }

  private async replay(family: Family): Promise<boolean> {
    family.state = 'replaying';
    const response = await this.spa.refresh(family.refreshTokens[0]!);
    if (response?.status === 400) family.state = 'ended';
    return response !== undefined;
  }
}

function hear(family: Family, answer: SpaResult): boolean {
  if (!answer) return false;
  if (answer.status !== 200) throw new Error(`No other client has this code or token: ${JSON.stringify(answer)}`);
  family.accessTokens.push(answer.body.access_token);
  family.refreshTokens.push(answer.body.refresh_token);
  family.state = 'idle';
  return true;
}
