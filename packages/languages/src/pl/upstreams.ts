import type { UPSTREAM_MESSAGES } from 'nest-oauth2/upstreams';
import type { Translation } from 'nest-oauth2/pages';

export const upstreams: Translation<typeof UPSTREAM_MESSAGES> = {
  upstreamSignIn: 'Zaloguj się przez {provider}',
  upstreamTitle: 'Logowanie przez {provider}',
  upstreamBack: 'Wróć do logowania',
  upstreamWrongBrowser:
    'To logowanie wygasło lub rozpoczęto je w innej przeglądarce. Proszę wrócić do strony początkowej i spróbować ponownie w tej przeglądarce.',
  upstreamUsed: 'To logowanie zostało już zakończone. W razie braku zalogowania proszę spróbować ponownie.',
  upstreamCancelled:
    'Logowanie przez {provider} nie doszło do skutku. Można spróbować ponownie lub wybrać inny sposób.',
  upstreamFailed: 'Logowanie przez {provider} nie powiodło się. Proszę spróbować ponownie.',
  upstreamInProgress: 'To logowanie już trwa. Proszę spróbować ponownie za chwilę.',
  upstreamUnavailable: '{provider} w tej chwili nie odpowiada. Proszę spróbować ponownie za chwilę.',
  upstreamThrottled: 'Zbyt wiele prób. Proszę spróbować ponownie później.',
  upstreamTooLong:
    'To żądanie jest zbyt długie, aby zalogować się przez {provider}. Proszę wybrać inny sposób logowania.',
  upstreamLinkOnly: 'Nie można zalogować się przez {provider}. Proszę wybrać inny sposób logowania.',
  upstreamSignInOnly: '{provider} nie można połączyć z istniejącym kontem.',
  upstreamEmailInUse: 'Konto już istnieje. Proszę się zalogować, aby połączyć {provider}.',
  upstreamNotFresh: 'Aby połączyć {provider}, proszę najpierw zalogować się ponownie w tej przeglądarce.',
  upstreamOtherAccount: 'To konto {provider} jest już połączone z innym kontem.',
  upstreamUnverified: 'Proszę zweryfikować adres e-mail konta przed połączeniem {provider}.',
  upstreamNotAllowed: '{provider} nie można tu użyć dla konta.',
  upstreamAccountGone: 'Konto jest wyłączone lub zostało usunięte.',
  upstreamWrongConsent:
    'Ten link wygasł lub został utworzony dla innego użytkownika. Proszę wrócić na stronę, na której zaczęto, i spróbować ponownie.',
  upstreamConsentTitle: 'Dostęp do {provider}',
  upstreamConsentIntro: 'Aby kontynuować, proszę udzielić dostępu do konta w {provider}.',
  upstreamConsentContinue: 'Przejdź do {provider}',
  connectionsTitle: 'Połączone konta',
  connectionsIntro: 'Tymi kontami można się zalogować.',
  connectionsNone: 'Żadne konto nie jest połączone.',
  connectionsManage: 'Połącz lub rozłącz konta',
  connectionsConnect: 'Połącz {provider}',
  connectionsDisconnect: 'Rozłącz',
  connectionsDisconnectName: 'Rozłącz {provider}, {name}',
  connectionsSince: 'Połączono: {date}',
  connectionsLast: 'To jedyny sposób logowania. Proszę najpierw połączyć inne konto.',
  connectionsChanged: 'Zmieniono połączone konta.',
};
