import type { AuthorizationDetail } from 'nest-oauth2';
import type { AuthorizationDetailsType } from 'nest-oauth2/features';

interface Payment extends AuthorizationDetail {
  amount: { currency: string; value: string };
  creditor: string;
}

/** Describes a payment for the user, such as "14.50 EUR to The Hatter". */
export const describePayment = ({ amount, creditor }: AuthorizationDetail): string =>
  `${amount.value} ${amount.currency} to ${creditor}`;

const matches = (text: unknown, pattern: RegExp) => typeof text === 'string' && pattern.test(text);

/** The authorization details type of a payment: an amount and a creditor. In production, validate with a schema. */
export const payment: AuthorizationDetailsType = {
  title: 'Pay',
  fields: ['amount', 'creditor'],
  required: ['amount', 'creditor'],
  validate(detail) {
    const { amount, creditor } = detail as Partial<Payment>;
    // Reject unknown members of `amount`, because the user would not see them.
    const { currency, value, ...more } = (amount ?? {}) as Partial<Payment['amount']>;
    const isAmount =
      matches(value, /^\d{1,6}\.\d{2}$/) && matches(currency, /^[A-Z]{3}$/) && Object.keys(more).length === 0;
    // One line without control characters, which could reverse the displayed text.
    return isAmount && matches(creditor, /^[^\p{C}\p{Zl}\p{Zp}]{1,70}$/u);
  },
  describe: describePayment,
};
