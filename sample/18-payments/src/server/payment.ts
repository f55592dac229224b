import type { AuthorizationDetail } from 'nest-oauth2';
import type { AuthorizationDetailsType } from 'nest-oauth2/features';

interface Payment extends AuthorizationDetail {
  amount: { currency: string; value: string };
  creditor: string;
}

/** In words, for whoever pays. */
export const inWords = ({ amount, creditor }: AuthorizationDetail): string =>
  `${amount.value} ${amount.currency} to ${creditor}`;

const isLike = (text: unknown, pattern: RegExp) => typeof text === 'string' && pattern.test(text);

/** What a shop may want: one payment, of so much, to somebody. In a real system by a schema of Zod, say. */
export const payment: AuthorizationDetailsType = {
  title: 'Pay',
  fields: ['amount', 'creditor'],
  required: ['amount', 'creditor'],
  validate(detail) {
    const { amount, creditor } = detail as Partial<Payment>;
    // Nothing within it that the user is not shown.
    const { currency, value, ...more } = (amount ?? {}) as Partial<Payment['amount']>;
    const isAmount =
      isLike(value, /^\d{1,6}\.\d{2}$/) && isLike(currency, /^[A-Z]{3}$/) && Object.keys(more).length === 0;
    // One line, and no character that turns round what stands beside it.
    return isAmount && isLike(creditor, /^[^\p{C}\p{Zl}\p{Zp}]{1,70}$/u);
  },
  describe: inWords,
};
