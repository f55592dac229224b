import type { ACCOUNT_MESSAGES } from 'nest-oauth2/accounts';
import type { ELICITATION_MESSAGES, ENGLISH, Translation } from 'nest-oauth2/pages';
import type { UPSTREAM_MESSAGES } from 'nest-oauth2/upstreams';

/** All texts of the library in one language. A missing text is a type error. */
export interface CompleteLanguage {
  readonly messages: Translation<typeof ENGLISH>;
  readonly features: {
    readonly accounts: Translation<typeof ACCOUNT_MESSAGES>;
    readonly elicitation: Translation<typeof ELICITATION_MESSAGES>;
    readonly upstreams: Translation<typeof UPSTREAM_MESSAGES>;
  };
}
