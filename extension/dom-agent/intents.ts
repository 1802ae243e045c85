/**
 * The words by which people name what they press: English first, then German, French, Spanish, Italian, Portuguese and
 * Dutch. Each list is of whole names, in lower case, from the plainest to the least.
 */
export const CLOSE =
  /^(×|✕|✖|╳|x|close|close (dialog|modal|window|popup|banner|menu|this)|dismiss|hide|schließen|fermer|cerrar|chiudi|fechar|sluiten)$/;

export const DECLINE =
  /^(no,? thanks?( you)?|not now|maybe later|later|skip( for now| this)?|cancel|no|got it|ok|okay|nein,? danke|später|abbrechen|überspringen|non merci|plus tard|annuler|no,? gracias|ahora no|cancelar|no,? grazie|annulla|não,? obrigad[oa]|agora não|nee,? bedankt|annuleren)$/;

export const CONFIRM =
  /^(ok|okay|yes.*|confirm.*|continue|proceed|accept|agree|apply|save.*|submit|done|delete.*|remove.*|allow|discard.*|leave.*|ja.*|bestätigen|weiter|speichern|löschen|oui.*|confirmer|continuer|enregistrer|supprimer|sí.*|confirmar|continuar|guardar|eliminar|sì.*|conferma|continua|salva|elimina|sim.*|salvar|excluir|bevestigen|doorgaan|opslaan|verwijderen)$/;

export const REJECT =
  /^((reject|decline|refuse|deny)( all)?( (optional|non-essential|unnecessary))?( cookies)?|(use )?(only )?(strictly )?(necessary|essential|required)( cookies)?( only)?|(allow|accept) (only )?(necessary|essential|required)( cookies)?( only)?|continue without (accepting|consent)|disagree|do not (consent|accept)|(alle )?ablehnen|alles ablehnen|nur (notwendige|erforderliche|essenzielle)( cookies)?( akzeptieren)?|(tout )?refuser|refuser tout|continuer sans accepter|rechazar( todo| todas)?|solo necesarias|rifiuta( tutto)?|solo necessari|rejeitar( tudo)?|recusar|alles weigeren|weigeren|alleen noodzakelijke)$/;

export const ACCEPT =
  /^((accept|allow|agree to)( all)?( cookies)?|accept (&|and) (close|continue)|i (accept|agree|understand|consent)|agree|agree (&|and) (close|continue|proceed)|consent|got it|ok|okay|understood|(alle |alles )?(cookies )?akzeptieren|alle(s)? zulassen|zustimmen|einverstanden|verstanden|(tout )?accepter|accepter tout|j'accepte|d'accord|aceptar( todo| todas)?|acepto|accetta( tutto| tutti)?|accetto|aceitar( tudo| todos)?|alles accepteren|accepteren|akkoord)$/;

/** A layer that asks for consent speaks of it. */
export const CONSENT =
  /cookie|consent|gdpr|privacy (settings|preferences|policy)|datenschutz|einwilligung|vie privée|privacidad|consenso|privacidade|toestemming/i;

export const COMPOSE =
  /^(compose|new (message|post|e-?mail|mail|chat|conversation|comment|tweet|note|topic|thread)|(write|create|start|add|leave)( a| an| your)? (message|post|e-?mail|chat|conversation|comment|reply|review|note|topic|thread|discussion)|write( something)?|message|reply|comment|post|tweet|start a post|what'?s (on your mind|happening).*|neue (nachricht|e-?mail)|verfassen|schreiben|antworten|kommentieren|nouveau message|écrire|répondre|commenter|redactar|nuevo mensaje|responder|comentar|scrivi|nuovo messaggio|rispondi|escrever|nova mensagem|opstellen|nieuw bericht)$/;

export const SEND =
  /^(send( message| now| reply| mail| email)?|post( comment| reply| all)?|submit|publish|reply|comment|tweet|share|add comment|create|save|senden|absenden|veröffentlichen|antworten|kommentieren|envoyer|publier|répondre|enviar|publicar|responder|invia|pubblica|rispondi|verzenden|versturen|plaatsen)$/;

/** The buttons of usual consent components: what declines, then what accepts. */
export const BANNERS: readonly (readonly [reject: string, accept: string])[] = [
  ["#onetrust-reject-all-handler", "#onetrust-accept-btn-handler"],
  [
    "#CybotCookiebotDialogBodyButtonDecline, #CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll",
    "#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll, #CybotCookiebotDialogBodyButtonAccept",
  ],
  ["#didomi-notice-disagree-button, .didomi-continue-without-agreeing", "#didomi-notice-agree-button"],
  [
    "[data-testid=uc-deny-all-button], #deny.uc-deny-button",
    "[data-testid=uc-accept-all-button], #accept.uc-accept-button",
  ],
  [".qc-cmp2-summary-buttons button[mode=secondary]", ".qc-cmp2-summary-buttons button[mode=primary]"],
  ["#truste-consent-required", "#truste-consent-button"],
  [".osano-cm-denyAll, .osano-cm-deny", ".osano-cm-accept-all, .osano-cm-accept"],
  [".cky-btn-reject", ".cky-btn-accept"],
  [".cmplz-deny", ".cmplz-accept"],
  [".iubenda-cs-reject-btn", ".iubenda-cs-accept-btn"],
  [".klaro .cn-decline", ".klaro .cm-btn-success"],
  [".cc-window .cc-deny", ".cc-window .cc-allow, .cc-window .cc-dismiss"],
  [".fc-cta-do-not-consent", ".fc-cta-consent"],
  ["#axeptio_btn_dismiss", "#axeptio_btn_acceptAll"],
  ["#tarteaucitronAllDenied2", "#tarteaucitronPersonalize2"],
];
