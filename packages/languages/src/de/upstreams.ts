import type { UPSTREAM_MESSAGES } from 'nest-oauth2/upstreams';
import type { Translation } from 'nest-oauth2/pages';

export const upstreams: Translation<typeof UPSTREAM_MESSAGES> = {
  upstreamSignIn: 'Mit {provider} anmelden',
  upstreamTitle: 'Anmeldung mit {provider}',
  upstreamBack: 'Zurück zur Anmeldung',
  upstreamWrongBrowser:
    'Diese Anmeldung ist abgelaufen oder wurde in einem anderen Browser begonnen. Gehen Sie zurück zu der Seite, auf der Sie begonnen haben, und versuchen Sie es in diesem Browser erneut.',
  upstreamUsed:
    'Diese Anmeldung wurde bereits abgeschlossen. Wenn Sie nicht angemeldet sind, versuchen Sie es bitte erneut.',
  upstreamCancelled:
    '{provider} hat Sie nicht angemeldet. Sie können es erneut versuchen oder einen anderen Weg wählen.',
  upstreamFailed: 'Die Anmeldung mit {provider} hat nicht funktioniert. Bitte versuchen Sie es erneut.',
  upstreamInProgress: 'Diese Anmeldung läuft bereits. Bitte versuchen Sie es gleich noch einmal.',
  upstreamUnavailable: '{provider} antwortet gerade nicht. Bitte versuchen Sie es gleich noch einmal.',
  upstreamThrottled: 'Zu viele Versuche. Bitte versuchen Sie es später erneut.',
  upstreamTooLong:
    'Diese Anfrage ist zu lang für die Anmeldung mit {provider}. Bitte wählen Sie eine andere Anmeldeart.',
  upstreamLinkOnly: 'Mit {provider} können Sie sich nicht anmelden. Bitte wählen Sie eine andere Anmeldeart.',
  upstreamSignInOnly: '{provider} kann nicht mit einem bestehenden Konto verbunden werden.',
  upstreamEmailInUse: 'Sie haben bereits ein Konto. Melden Sie sich an, um {provider} zu verbinden.',
  upstreamNotFresh: 'Um {provider} zu verbinden, melden Sie sich bitte zuerst in diesem Browser erneut an.',
  upstreamOtherAccount: 'Dieses {provider}-Konto ist bereits mit einem anderen Konto verbunden.',
  upstreamUnverified: 'Bestätigen Sie die E-Mail-Adresse Ihres Kontos, bevor Sie {provider} verbinden.',
  upstreamNotAllowed: '{provider} konnte hier nicht für ein Konto verwendet werden.',
  upstreamAccountGone: 'Ihr Konto ist gesperrt oder wurde gelöscht.',
  upstreamWrongConsent:
    'Dieser Link ist abgelaufen oder wurde für einen anderen Benutzer erstellt. Gehen Sie zu der Seite zurück, auf der Sie begonnen haben, und versuchen Sie es erneut.',
  upstreamConsentTitle: 'Zugriff auf {provider}',
  upstreamConsentIntro: 'Um fortzufahren, gewähren Sie bitte Zugriff auf Ihr Konto bei {provider}.',
  upstreamConsentContinue: 'Weiter zu {provider}',
  connectionsTitle: 'Verbundene Konten',
  connectionsIntro: 'Mit diesen Konten können Sie sich anmelden.',
  connectionsNone: 'Kein Konto ist verbunden.',
  connectionsManage: 'Konten verbinden oder trennen',
  connectionsConnect: '{provider} verbinden',
  connectionsDisconnect: 'Trennen',
  connectionsDisconnectName: '{provider} trennen, {name}',
  connectionsSince: 'Verbunden am {date}',
  connectionsLast: 'Dies ist Ihre einzige Anmeldemöglichkeit. Verbinden Sie zuerst ein anderes Konto.',
  connectionsChanged: 'Ihre verbundenen Konten wurden geändert.',
};
