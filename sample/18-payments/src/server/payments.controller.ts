import { ConflictException, Controller, ForbiddenException, Post, UseGuards } from '@nestjs/common';
import { AccessToken, type AuthorizationDetail, AuthorizationDetails, OAuthGuard, type Token } from 'nest-oauth2';
import { inWords } from './payment.js';

/** The API of the bank: it pays what a token was given for, once. */
@Controller('payments')
@UseGuards(OAuthGuard)
export class PaymentsController {
  private readonly paid = new Set<Token['grantId']>();

  @Post()
  pay(@AuthorizationDetails('payment_initiation') agreed: AuthorizationDetail[], @AccessToken() { grantId }: Token) {
    if (agreed.length === 0) throw new ForbiddenException('Nobody has agreed to a payment');
    if (this.paid.has(grantId)) throw new ConflictException('It was paid');
    this.paid.add(grantId);
    return { paid: agreed.map(inWords) };
  }
}
