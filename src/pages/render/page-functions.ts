import type { Html } from './html.js';
import type {
  AccountPageContext,
  ApplicationsPageContext,
  ConsentPageContext,
  DeviceConsentPageContext,
  DeviceDonePageContext,
  DevicePageContext,
  ErrorPageContext,
  FrameContext,
  LoginPageContext,
  OrganizationPageContext,
  Page,
  SecondFactorPageContext,
  SignOutPageContext,
} from './contexts.js';

/** The functions that render the pages. An application may replace any of them. */
export interface PageFunctions {
  login(context: LoginPageContext): Page;
  secondFactor(context: SecondFactorPageContext): Page;
  /** Asks for the organization before consent. */
  organization(context: OrganizationPageContext): Page;
  consent(context: ConsentPageContext): Page;
  account(context: AccountPageContext): Page;
  signOut(context: SignOutPageContext): Page;
  error(context: ErrorPageContext): Page;
  applications(context: ApplicationsPageContext): Page;
  device(context: DevicePageContext): Page;
  deviceConsent(context: DeviceConsentPageContext): Page;
  deviceDone(context: DeviceDonePageContext): Page;
  /** Renders the document around a page. */
  frame(context: FrameContext): Html;
}
