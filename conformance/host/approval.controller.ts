import { Controller, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { decideBackchannelRequest } from 'nest-oauth2/openid';

import { HostStore, PASSWORD } from './store.js';

/** The device on which the user decides about a backchannel request. The suite calls it. */
@Controller('approve')
export class ApprovalController {
  constructor(@Inject(HostStore) private readonly store: HostStore) {}

  @Post()
  @HttpCode(200)
  async decide(@Query('action') action: string) {
    const { requested } = this.store;
    this.store.requested = undefined;
    return {
      counts:
        requested !== undefined &&
        (await decideBackchannelRequest(requested, { allow: action === 'allow', signIn: PASSWORD })),
    };
  }
}
