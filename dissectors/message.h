/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The neutral record every protocol emits: one request, reply or notice. It says what was asked or
 * answered, not what it means; sessions (analyzer/session) give it meaning.
 */
#ifndef SLOWCOPY_DISSECTORS_MESSAGE_H
#define SLOWCOPY_DISSECTORS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MessageKind {
	MESSAGE_REQUEST,
	MESSAGE_REPLY,   /* final answer, success or error */
	MESSAGE_INTERIM, /* STATUS_PENDING, FTP 1xx: the answer is still to come */
	MESSAGE_NOTICE,  /* nobody waits for it: oplock break, keep-alive, FTP banner */
	MESSAGE_OPAQUE,  /* encrypted or compressed: direction and size only */
} MessageKind;

/** MessageProtocol: which specification `command` and `status` belong to. */
typedef enum MessageProtocol {
	MESSAGE_NETBIOS, /* session service packets other than messages */
	MESSAGE_SMB1,
	MESSAGE_SMB2, /* 2.x and 3.x */
	MESSAGE_FTP,
} MessageProtocol;

typedef enum MessageVerb {
	VERB_OTHER,
	VERB_NEGOTIATE,
	VERB_LOGIN,      /* session setup; FTP USER, PASS, ACCT, AUTH */
	VERB_LOGOFF,     /* FTP QUIT */
	VERB_CONNECT,    /* tree connect */
	VERB_DISCONNECT, /* tree disconnect */
	VERB_OPEN,
	VERB_CLOSE,
	VERB_READ,  /* FTP RETR */
	VERB_WRITE, /* FTP STOR, APPE, STOU */
	VERB_FLUSH,
	VERB_LOCK,
	VERB_QUERY,  /* attributes of one file or file system; FTP SIZE, MDTM, MLST, STAT */
	VERB_SET,    /* set attributes, rename, delete; FTP DELE, RNFR, RNTO, MKD, RMD */
	VERB_LIST,   /* directory entries; FTP LIST, NLST, MLSD */
	VERB_NOTIFY, /* change notify: answered when something happens, never owed */
	VERB_COPY,   /* server-side copy */
	VERB_IOCTL,
	VERB_ECHO, /* keep-alive; FTP NOOP */
	VERB_CANCEL,
	VERB_BREAK,   /* oplock or lease break and its acknowledgement */
	VERB_PREPARE, /* FTP PORT, PASV, EPRT, EPSV: a data connection is about to be made */
	VERB_MODE,    /* FTP TYPE, MODE, STRU, REST, ALLO, OPTS, PBSZ, PROT, CWD, PWD, FEAT, SYST */
	VERB_COUNT
} MessageVerb;

/** StatusClass: what an answer's status means for timing. */
typedef enum StatusClass {
	STATUS_CLASS_OK,
	STATUS_CLASS_MORE, /* more processing required, buffer overflow, no more files: normal steps
			    */
	STATUS_CLASS_PENDING,
	STATUS_CLASS_NOT_FOUND, /* object name or path not found, no such file */
	STATUS_CLASS_DENIED,
	STATUS_CLASS_LOCKED, /* sharing violation, lock conflict, lock not granted */
	STATUS_CLASS_END,    /* end of file */
	STATUS_CLASS_ERROR,  /* any other failure */
} StatusClass;

enum MessageFlags {
	MESSAGE_SIGNED = 1 << 0,
	MESSAGE_ENCRYPTED = 1 << 1,
	MESSAGE_COMPRESSED = 1 << 2,
	MESSAGE_ASYNC = 1 << 3,         /* SMB2 header carries an AsyncId */
	MESSAGE_RELATED = 1 << 4,       /* SMB2 related operation of a compound */
	MESSAGE_WRITE_THROUGH = 1 << 5, /* this write, or the handle opened, waits for the disk */
	MESSAGE_UNBUFFERED = 1 << 6,
	MESSAGE_DIRECTORY = 1 << 7, /* open: a directory was asked for or answered */
	MESSAGE_PIPE =
		1 << 8, /* tree connect: the share is IPC$; open, control code: a named pipe */
	MESSAGE_TRUNCATED = 1 << 9, /* the snap length cut fields: those missing are zero */
	MESSAGE_FROM_CLIENT = 1 << 10,
	MESSAGE_HAS_FILE_ID = 1 << 11,
	MESSAGE_HAS_OFFSET = 1 << 12,
	MESSAGE_NAME_UTF16 =
		1 << 13, /* name is UTF-16LE; otherwise bytes of unknown encoding or UTF-8 */
	MESSAGE_BINDING = 1 << 14,  /* session setup that binds another connection (multichannel) */
	MESSAGE_LAST = 1 << 15,     /* last one of its PDU (compound or AndX chain) */
	MESSAGE_BLOCKING = 1 << 16, /* a lock that waits: never owed */
	/* SMB1 transaction continued in another message: a request waits for its secondaries
	   (MESSAGE_NOTICE with the same request_id), an MESSAGE_INTERIM answer is followed by the
	   rest */
	MESSAGE_MULTIPART = 1 << 17,
	MESSAGE_DURABLE = 1 << 18,    /* open: a durable handle was asked for or granted */
	MESSAGE_PERSISTENT = 1 << 19, /* open: a persistent one */
	MESSAGE_RSS = 1 << 20,        /* interface list: at least one interface scales over cores */
	MESSAGE_RDMA = 1 << 21,       /* interface list: at least one interface does RDMA */
	MESSAGE_GUEST = 1 << 22,      /* session setup: logged in as guest or anonymous */
	MESSAGE_ENCRYPTION_ASKED = 1 << 23, /* session or share whose server wants encryption */
	MESSAGE_DFS = 1 << 24, /* header: paths are DFS paths; tree connect: the share is in DFS */
	MESSAGE_DELETE_ON_CLOSE = 1 << 25, /* open */
};

/* Shortest directory entry, MS-FSCC 2.4.26 FileNamesInformation: NextEntryOffset, FileIndex,
 * FileNameLength. Each begins with the distance to the next, 0 in the last. */
#define DIRECTORY_ENTRY_MIN 12

/** MessageNegotiation: what NEGOTIATE (either way) said. Unknown numbers are 0. */
typedef struct MessageNegotiation {
	uint16_t dialect; /* SMB2 revision (0x0202, 0x02ff, 0x0210, 0x0300, 0x0302, 0x0311) or index
			     of the SMB1 choice */
	uint16_t offered[16]; /* SMB2 revisions offered; a multi-protocol SMB1 request adds 0x0202
				 and 0x02ff */
	uint8_t offered_count;
	bool offered_smb1; /* the SMB1 request lists "NT LM 0.12" or older */
	bool chose_nt_lm;  /* SMB1 reply: NT LM 0.12 */
	bool signing_enabled, signing_required;
	bool encryption; /* capability bit or cipher context */
	bool large_mtu;  /* SMB2 LARGE_MTU; SMB1: large read or write */
	bool multichannel, leasing, dfs;
	bool large_read, large_write, raw_mode, extended_security; /* SMB1 */
	bool preauth_integrity;   /* SMB2 context: hash of the handshake, 3.1.1 */
	uint8_t smb1_offered[16]; /* Smb1Dialect numbers (smb1_negotiate.h) in the order offered:
				     the index of the answer points here */
	uint8_t smb1_offered_count;
	uint8_t server_guid[16]; /* SMB2: of the speaker, client or server */
	uint16_t cipher; /* SMB2 context: 1 AES-128-CCM, 2 AES-128-GCM, 3 AES-256-CCM, 4 AES-256-GCM
			  */
	uint16_t signing_algorithm; /* 0 HMAC-SHA256, 1 AES-CMAC, 2 AES-GMAC */
	bool has_signing_algorithm;
	uint16_t compression_count; /* SMB2 context: algorithms other than none */
	uint16_t compression[4]; /* the first of them: 1 LZNT1, 2 LZ77, 3 LZ77+Huffman, 4 pattern */
	bool compression_chained;
	const uint8_t *netname; /* SMB2 context: server name as the client knows it, UTF-16LE,
				   borrowed, may be NULL */
	uint32_t netname_len;
	uint16_t max_mpx;                                       /* SMB1 MaxMpxCount */
	uint32_t max_buffer, max_transact, max_read, max_write; /* bytes */
} MessageNegotiation;

typedef struct Message {
	MessageKind kind;
	MessageProtocol protocol;
	MessageVerb verb;
	uint16_t command; /* SMB command code, FTP: index of the verb in ftp_line.h; SMB1 AndX: each
			     member is a Message */
	uint16_t reply_code; /* FTP three-digit code */
	uint32_t flags;      /* MessageFlags */
	uint32_t status;     /* NTSTATUS (DOS errors are mapped by class only) */
	StatusClass status_class;
	/* pairs request and replies: SMB2 MessageId; SMB1 index<<32|PID<<16|MID (TID and UID are
	   not in it: the answer to a log-in or tree connect carries new ones); FTP 0. The index
	   tells members of an AndX chain apart; an answer with MESSAGE_LAST ends all of its chain,
	   members that failed before they ran get none. The SMB2 answer to an SMB1 negotiate has
	   MessageId 0. */
	uint64_t request_id;
	uint64_t async_id;   /* SMB2 AsyncId when MESSAGE_ASYNC, what a CANCEL refers to */
	uint64_t session_id; /* SMB2 SessionId, SMB1 UID */
	uint32_t tree_id;    /* SMB2 TreeId (0 when async), SMB1 TID */
	uint8_t file_id[16]; /* SMB2 FileId; SMB1 FID in the first two bytes; all ones in a related
				compound member */
	uint64_t offset;     /* file offset of a read, write or lock */
	uint64_t length; /* bytes asked for (request) or moved (reply); REST or SIZE numbers in FTP
			  */
	uint64_t file_size;   /* open, close and query reply, set of end of file; 0 unknown */
	uint32_t data_offset; /* where file data begins in this PDU, from the first byte of framing;
				 0 when none */
	uint16_t credit_charge;
	uint16_t credits; /* asked (request) or granted (reply) */
	uint8_t oplock;   /* open: SMB2 oplock level asked or granted (0, 1, 8, 9, 0xff lease) */
	uint8_t oplock_break; /* oplock or lease break: level or lease state to fall to */
	uint8_t lease_state;  /* open with a lease: bits asked or granted, 1 read, 2 handle, 4 write
			       */
	uint8_t info_type;    /* SMB2 query, set: 1 file, 2 file system, 3 security, 4 quota */
	uint16_t info_level;  /* SMB1 transaction: information level */
	uint32_t info_class;  /* query, set, list: information class; ioctl: control code; SMB1:
				 transaction subcommand */
	uint32_t entries; /* list reply: directory entries counted in the kept bytes; copy: chunks;
			     interface list: interfaces; DFS referral: referrals; lock: ranges */
	uint32_t entries_next;  /* SMB2 list reply: where the first entry begins that was not kept,
				   from  the first byte of framing; 0 all were counted */
	uint32_t access;        /* open request: DesiredAccess; tree connect reply: MaximalAccess */
	uint32_t options;       /* open request: CreateOptions */
	uint32_t disposition;   /* open: CreateDisposition asked, CreateAction answered */
	uint32_t buffer_length; /* list and query request: output buffer asked for */
	const uint8_t *name; /* open: path; connect: share; login: nothing; FTP: argument. Borrowed,
				may be NULL */
	uint32_t name_len;   /* bytes */
	/* NEGOTIATE, and the client's limits in an SMB1 session setup; else NULL; borrowed for the
	   call */
	const MessageNegotiation *negotiation;
	uint8_t endpoint[16];   /* FTP PORT/PASV/EPRT/EPSV: address (v4 mapped; all zero: the peer's
				   own) */
	uint16_t endpoint_port; /* 0 when none */
	uint16_t index, count;  /* this one of so many in its PDU, from 0; a compound larger than
				   PROTOCOL_MAX_STAGED comes member by member: count is then only
				   a lower bound */
	uint64_t opaque_length; /* MESSAGE_OPAQUE: length inside (OriginalMessageSize); others that
				   were encrypted or compressed: bytes on the wire */
} Message;

/** MessageSink: where decode() hands messages; called once per message, in order. */
typedef struct MessageSink {
	void (*message)(void *user,
		const Message *message); /* @message and all it points to live for the call */
	void *user;
	void (*anomaly)(
		void *user, const char *kind); /* static string, such as "andx-loop"; may be NULL */
} MessageSink;

/** message_verb_is_owed: whether somebody waits for the answer of such a request (not notify, not a
 * blocking lock). */
static inline bool message_is_owed(const Message *m)
{
	return m->kind == MESSAGE_REQUEST && m->verb != VERB_NOTIFY && m->verb != VERB_CANCEL &&
	       m->verb != VERB_BREAK && !(m->flags & MESSAGE_BLOCKING);
}

/** message_command_name: the specification's name in lower case with dashes ("read-andx"), static;
 * "unknown-NN" never NULL. */
const char *message_command_name(MessageProtocol protocol, uint16_t command);

#endif
