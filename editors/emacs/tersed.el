;;; tersed.el --- Makes tool results cheaper for gptel  -*- lexical-binding: t; -*-

;; Copyright (c) The tersed contributors
;; SPDX-License-Identifier: MIT OR Apache-2.0
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, processes

;;; Commentary:

;; Passes the tool results of gptel to `tersed', a child process, with jsonrpc.el, before the model sees
;; them.  Turn on `tersed-gptel-mode'.
;;
;; Fail open: nothing here signals an error.  If the program is missing, slow, crashed, or answers garbage,
;; the result is nil and gptel keeps its own text.  A program that failed is started again when it is next
;; needed, after a pause that doubles from 250 ms to 60 s.  After two waits without an answer, it is not
;; asked for a minute.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'subr-x)

(defvar gptel-post-tool-call-functions)
(defvar gptel-tools)
(declare-function gptel-make-tool "ext:gptel-request")
(declare-function gptel-tool-name "ext:gptel-request")

(defgroup tersed nil
  "Makes tool results cheaper for models."
  :group 'tools
  :prefix "tersed-")

(defcustom tersed-command (list (or (getenv "TERSED_BIN") "tersed"))
  "The program and its arguments."
  :type '(repeat string))

(defcustom tersed-policy nil
  "Settings as a plist, for example (:mode \"safe\").
See protocol/spec.md, section 4.2."
  :type 'plist)

(defcustom tersed-deadline 1.5
  "Seconds after which a result stays as it came."
  :type 'number)

(defcustom tersed-start-deadline 5
  "Seconds after which a program that does not greet counts as broken."
  :type 'number)

(defconst tersed--first-pause 0.25)
(defconst tersed--last-pause 60)

(defconst tersed--most-late 2
  "After so many late answers in a row nobody is asked for a while.")
(defconst tersed--rest 60
  "Seconds of that while.")

(defvar tersed--connection nil)
(defvar tersed--late 0)
(defvar tersed--pause tersed--first-pause)
(defvar tersed--not-before 0)
(defvar tersed--expands nil
  "Whether the model has a tool to read originals with.")

(defun tersed--failed (&optional rest)
  "Give the program up, and start none before a pause, or REST seconds, are over."
  (setq tersed--not-before (+ (float-time) (max tersed--pause (or rest 0)))
        tersed--pause (min (* 2 tersed--pause) tersed--last-pause))
  (tersed--drop))

(defun tersed--drop ()
  "End the program."
  (let ((connection tersed--connection))
    (setq tersed--connection nil)
    (when connection
      (ignore-errors
        (let ((process (jsonrpc--process connection)))
          (set-process-sentinel process #'ignore)
          (delete-process process))))))

(defun tersed-running-p ()
  "Whether the program runs."
  (and tersed--connection (jsonrpc-running-p tersed--connection)))

(defun tersed--ask (method params deadline)
  "The result of METHOD with PARAMS within DEADLINE seconds, or nil."
  (let ((asked (float-time))
        (inhibit-message t))
    (condition-case nil
        (prog1 (jsonrpc-request tersed--connection method params :timeout deadline)
          (setq tersed--late 0
                tersed--pause tersed--first-pause))
      (error
       (cond
        ((not (tersed-running-p)) (tersed--failed))
        ;; An error within the time limit is an answer.
        ((< (- (float-time) asked) deadline) (setq tersed--late 0))
        ((>= (cl-incf tersed--late) tersed--most-late) (tersed--failed tersed--rest)))
       nil))))

(defun tersed--start ()
  "Start the program if it does not run; whether it does."
  (when (and tersed--connection (not (tersed-running-p)))
    (tersed--failed))
  (cond
   (tersed--connection t)
   ((< (float-time) tersed--not-before) nil)
   ;; `make-process' accepts an absolute name without a program, and writing to it then ends a batch Emacs.
   ((not (executable-find (car tersed-command))) (tersed--failed) nil)
   (t
    (condition-case nil
        (let ((process-connection-type nil))
          (setq tersed--connection
                (make-instance 'jsonrpc-process-connection
                               :name "tersed"
                               :process (make-process :name "tersed" :command tersed-command
                                                      :connection-type 'pipe :coding 'utf-8-emacs-unix
                                                      :stderr (get-buffer-create " *tersed stderr*") :noquery t))))
      (error (tersed--failed)))
    (when tersed--connection
      ;; The content of results must not be in a log.
      (when (slot-exists-p tersed--connection '-events-buffer-scrollback-size)
        (setf (slot-value tersed--connection '-events-buffer-scrollback-size) 0))
      (let ((greeting (tersed--ask :initialize (tersed--greeting) tersed-start-deadline)))
        ;; A misspelt setting must not turn off redaction, so the default settings apply.
        (when (and (null greeting) tersed-policy tersed--connection (tersed-running-p))
          (display-warning 'tersed "`tersed-policy' was refused, the default one counts")
          (setq greeting (tersed--ask :initialize (tersed--greeting t) tersed-start-deadline)))
        (if (ignore-errors (plist-member (plist-get (plist-get greeting :capabilities) :experimental) :tersed))
            (ignore-errors (jsonrpc-notify tersed--connection :initialized (make-hash-table)))
          (when tersed--connection (tersed--failed)))))
    (and tersed--connection t))))

(defun tersed--greeting (&optional bare)
  "Parameters of `initialize'; without the policy of the user if BARE."
  (list :processId (emacs-pid)
        :capabilities (make-hash-table)
        :initializationOptions
        (list :tersed
              (list :protocolVersions [1]
                    :policy (append (and (not bare) tersed-policy)
                                    (and tersed--expands '(:expandTool t))
                                    '(:evidence "changed"))))))

(defun tersed-request (method params)
  "The result of METHOD, a string, with PARAMS, a plist, or nil."
  (ignore-errors
    (and (tersed--start)
         (tersed--ask (intern (concat ":" method)) params tersed-deadline))))

(defun tersed-compress (session result)
  "What toolResult/compress answers for RESULT, a plist, in SESSION, or nil."
  (let ((content (plist-get result :content)))
    (when (and (stringp content) (not (string-empty-p content)))
      (let ((answer (tersed-request "toolResult/compress" (list :sessionId session :result result))))
        (and (stringp (plist-get answer :content)) answer)))))

(defun tersed-forget (session)
  "Tell that nothing of SESSION is visible to its model any more.
Starts no program."
  (when (tersed-running-p)
    (ignore-errors
      (jsonrpc-notify tersed--connection :session/compacted (list :sessionId session)))))

(defun tersed-fork (session new)
  "Begin the session NEW with all that SESSION shows: a conversation goes on in two ways."
  (and tersed--connection
       (tersed-request "session/fork" (list :sessionId session :newSessionId new))))

(defun tersed-read (session id &optional first last)
  "The text of the original ID in SESSION, or of its lines FIRST to LAST.
Nil where there is none."
  (plist-get (tersed-request "artifact/read"
                             (append (list :sessionId session :id id :numbering "shown")
                                     (and first (list :lines (vector (vector first (or last first)))))))
             :text))

(defun tersed-stats (session)
  "Totals of SESSION, as session/stats gives them, or nil.
Starts no program."
  (and (tersed-running-p)
       (tersed-request "session/stats" (list :sessionId session))))

(defun tersed-stop ()
  "End the program; the next request starts it again."
  (interactive)
  (tersed--drop)
  (setq tersed--pause tersed--first-pause
        tersed--late 0
        tersed--not-before 0))

;;;; gptel

(defvar-local tersed--session nil)

(defun tersed--session (&optional buffer)
  "The session of BUFFER, by default the current one."
  (with-current-buffer (if (buffer-live-p buffer) buffer (current-buffer))
    (or tersed--session
        (setq tersed--session (format "gptel-%d-%s" (emacs-pid) (secure-hash 'md5 (format "%s %s" (buffer-name)
                                                                                           (float-time))))))))

(defun tersed-gptel-post-tool-call (info)
  "Make the result in INFO smaller, a plist with :name, :args and :result.
For `gptel-post-tool-call-functions'.  A buffer can be edited, tool
results may not be part of the next request, and agents write into the
buffer of their conversation: so the call is not named, and no later
result refers to this one."
  (ignore-errors
    (let* ((result (plist-get info :result))
           (name (plist-get info :name))
           (buffer (plist-get info :buffer))
           (answer
            (and (stringp result)
                 (not (equal name "tersed_expand"))
                 (tersed-compress
                  (tersed--session (and buffer (get-buffer buffer)))
                  (append (list :tool name :content result)
                          (and (plist-get info :args) (list :arguments (tersed--arguments (plist-get info :args)))))))))
      (and answer
           (not (equal (plist-get answer :content) result))
           (list :result (plist-get answer :content))))))

(defun tersed--arguments (args)
  "ARGS as they can be written as JSON.
A plist is an object, the values of a call are an array."
  (if (and (listp args) (not (keywordp (car args))))
      (vconcat args)
    args))

(defun tersed-gptel-expand (id &optional first last)
  "For the model: lines FIRST to LAST of the original ID."
  (or (tersed-read (tersed--session) id first last)
      (format "No original %s can be read; run the tool again." id)))

(defun tersed--gptel-tool ()
  "A tool to read originals with, or nil where gptel makes none."
  (and (fboundp 'gptel-make-tool)
       (ignore-errors
         (gptel-make-tool
          :name "tersed_expand"
          :function #'tersed-gptel-expand
          :category "tersed"
          :description "Reads back lines that a marker such as [tersed#493027516823: omitted 20 lines 6-25, passing_tests, \
id 2f9a3daa] left out of an earlier tool result. Use it only when the omitted lines matter."
          :args (list '(:name "id" :type string :description "The id in the marker, or in the first one above it that has one")
                      '(:name "first" :type integer :optional t :description "First line, as the marker counts")
                      '(:name "last" :type integer :optional t :description "Last line"))))))

;;;###autoload
(define-minor-mode tersed-gptel-mode
  "Give results of gptel's tools to tersed before the model sees them."
  :global t
  :group 'tersed
  (when (boundp 'gptel-tools)
    (setq gptel-tools (cl-remove "tersed_expand" gptel-tools :test #'equal
                                 :key (lambda (tool) (ignore-errors (gptel-tool-name tool))))))
  (setq tersed--expands nil)
  (tersed-stop)
  (if (not tersed-gptel-mode)
      (remove-hook 'gptel-post-tool-call-functions #'tersed-gptel-post-tool-call)
    (add-hook 'gptel-post-tool-call-functions #'tersed-gptel-post-tool-call 90)
    (when-let ((tool (and (boundp 'gptel-tools) (tersed--gptel-tool))))
      (setq tersed--expands t)
      (push tool gptel-tools))))

(provide 'tersed)
;;; tersed.el ends here
