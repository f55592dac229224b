import { ConflictException, Controller, ForbiddenException, Post, UseGuards } from '@nestjs/common';
import { AccessToken, type AuthorizationDetail, AuthorizationDetails, OAuthGuard, type Token } from 'nest-oauth2';
import { describePayment } from './payment.js';

/** The API of the bank. It executes the payment that the token authorizes, once per grant. */
@Controller('payments')
@UseGuards(OAuthGuard)
export class PaymentsController {
  private readonly paid = new Set<Token['grantId']>();

  @Post()
  pay(@AuthorizationDetails('payment_initiation') payments: AuthorizationDetail[], @AccessToken() { grantId }: Token) {
    if (payments.length === 0) throw new ForbiddenException('The token authorizes no payment.');
    if (this.paid.has(grantId)) throw new ConflictException('This payment has already been made.');
    this.paid.add(grantId);
    return { paid: payments.map(describePayment) };
  }
}
