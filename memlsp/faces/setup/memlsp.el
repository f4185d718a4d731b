;;; memlsp.el --- written by `memlsp init', taken out by `memlsp uninstall'  -*- lexical-binding: t -*-
(require 'cl-lib)
(require 'eglot)

(defclass memlsp-server (eglot-lsp-server) () "The language server of memlsp.")

(cl-defmethod eglot-initialization-options ((_ memlsp-server)) '(:memlsp (:asks t)))

(defconst memlsp-asks
  '(("remember" 2 "Remember here: ") ("supersede" 1 "Replace by: ")
    ("scope" 1 "Applies under (KEY=VALUE): ") ("settle" 3 "Applies under (KEY=VALUE): "))
  "What a command may lack: the place of the argument, and the prompt.")

(defun memlsp-run (server command arguments)
  "Send COMMAND to SERVER; what ARGUMENTS lack is asked for."
  (let* ((all (append arguments nil))
         (ask (assoc (string-remove-prefix "memlsp.server." command) memlsp-asks))
         (place (nth 1 ask)))
    (when (and ask (not (nth place all))
               (or (not (equal (car ask) "settle")) (equal (nth 1 all) "scoped")))
      (let* ((old (when (equal (car ask) "supersede")
                    (plist-get (plist-get (jsonrpc-request server :memlsp/belief (list :id (car all))) :belief)
                               :text)))
             (text (read-string (nth 2 ask) old)))
        (when (or (string-blank-p text) (equal text old)) (user-error "Nothing was changed"))
        (setq all (append all (make-list (max 0 (- (1+ place) (length all))) nil)))
        (setf (nth place all) text)))
    (jsonrpc-request server :workspace/executeCommand
                     (list :command command :arguments (vconcat all)))))

;; Emacs 29 and earlier call the first of these for an action, later ones the second
(cl-defmethod eglot-execute-command ((server memlsp-server) command arguments)
  (memlsp-run server (format "%s" command) arguments))

(cl-defmethod eglot-execute ((server memlsp-server) action)
  (let ((command (plist-get action :command)))
    (cond ((stringp command) (memlsp-run server command (plist-get action :arguments)))
          ((and command (not (plist-get action :edit))) (eglot-execute server command))
          (t (cl-call-next-method)))))

(defun memlsp-remember (&optional text)
  "Remember TEXT about the symbol at point; it is asked for."
  (interactive)
  (memlsp-run (or (eglot-current-server) (user-error "M-x eglot starts memlsp here"))
              "memlsp.server.remember"
              (list buffer-file-name (line-number-at-pos nil t) text)))

(add-to-list 'eglot-server-programs '((prog-mode text-mode conf-mode) . (memlsp-server "memlsp" "lsp")))

(provide 'memlsp)
