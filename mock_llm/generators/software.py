"""Words of software: what code, logs, interfaces and release notes speak of."""

from __future__ import annotations


def _bank(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in " ".join(words.split()).split(","))


NOUNS = _bank("""
    budget, shipment, session, webhook, tenant, voucher, calendar, mailing, thumbnail, banner,
    warehouse, subscription, playlist, passport, reminder, comment, coupon, dashboard, project, message,
    parcel, contract, customer, courier, fixture, picture, holiday, bookmark, journal, keyword,
    ledger, membership, notice, cart, payment, quota, receipt, schedule, ticket, badge, vendor, wallet
""")
FIELDS = _bank("""
    amount, title, region, owner, status, weight, priority, language, deadline, colour, balance, author,
    quantity, category, latitude, score, discount, capacity, version, altitude, duration, margin
""")
VERBS = _bank("""
    load, merge, parse, validate, archive, publish, rename, restore, count, filter, group, collect,
    cancel, approve, split, rank, convert, schedule, notify, import
""")
PACKAGES = _bank("""
    billing, search, accounts, storage, reports, mail, scheduling, media, checkout, audit, gateway,
    profiles, inventory, translation, metrics, onboarding
""")
BEHAVIOURS = _bank("""
    rejects an empty body, rounds half up, keeps the order, survives a restart, ignores upper case,
    expires at midnight, needs a valid token, falls back to the default, reports the line, retries
    twice, sorts by date, hides private fields, accepts unicode names, stops at the limit, closes its
    file, handles leap years, refuses a second owner, escapes quotes, counts each item once, waits for the
    lock, drops stale entries, follows redirects, converts the currency, paginates, logs the reason
""")
CHANGES = _bank("""
    an option to {verb} every {noun} at once, support for a {noun} without {field},
    a warning when the {field} of a {noun} is missing, the {noun} view shows its {field},
    a {noun} can now be sorted by {field}, keyboard shortcuts to {verb} a {noun},
    a crash when a {noun} had no {field}, the {field} of a {noun} was rounded twice,
    a {noun} could be lost while another process tried to {verb} it,
    wrong {field} after a failed attempt to {verb} a {noun},
    the {noun} page is read in half the time, {noun} exports leave the {field} out by default,
    a {noun} is checked before the server tries to {verb} it, memory while many {noun} records are loaded
""")
PURPOSES = _bank("""
    so that support can find it again, unless the owner has locked it, for everyone in the same region,
    as long as the caller may see it, without sending any mail, and writes a line to the audit trail,
    within the limits of the plan, even while an import is running, and tells the owner by mail,
    after checking the signature, in one transaction, starting with the oldest
""")
BANKS = {
    "noun": NOUNS, "field": FIELDS, "verb": VERBS, "package": PACKAGES, "behaviour": BEHAVIOURS,
    "purpose": PURPOSES,
}  # fmt: skip
