import type {
  DeviceAuthorizationModel,
  PushedRequestModel,
  RegistrationModel,
  RevocationModel,
  TokenExchangeModel,
} from 'nest-oauth2/features';
import type { KeyModel } from 'nest-oauth2/jose';
import type { ClientsModel, Model } from 'nest-oauth2/server';
import type { Feature, Guarantee } from 'nest-oauth2/testing';

import type { CorrectModel } from './correct-model.js';

/** A mistake that people make in their models, and what the kit says of it. */
export interface BrokenModel {
  /** What it does. */
  mistake: string;
  /** The methods that do it, in place of those of an honest model. */
  methods(
    honest: CorrectModel,
  ): Partial<
    Model &
      RevocationModel &
      PushedRequestModel &
      DeviceAuthorizationModel &
      TokenExchangeModel &
      ClientsModel &
      RegistrationModel &
      KeyModel
  >;
  /** The obligation that it fails. */
  fails: string;
  /** What the message says was found, and how to mend it. */
  finding: RegExp;
  remedy: RegExp;
  /** What is left of a feature. */
  leaves: Partial<Record<Feature, Guarantee>>;
}
